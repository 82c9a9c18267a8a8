import { visible } from './visible.ts';

/** Anybody's text as the content of an element or an attribute. `visible` has already spelt out what XML forbids. */
export const escapeXml = (text: string): string =>
  visible(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
