import { createHash } from 'node:crypto';

/** Ways to write a value that are no code of orgrepo's: what a test plants and looks for. */
export const encodings: Readonly<Record<string, (value: string) => string>> = {
  plain: (value) => value,
  base64: (value) => Buffer.from(value).toString('base64'),
  base64url: (value) => Buffer.from(`:${value}`).toString('base64url'),
  hex: (value) => Buffer.from(value).toString('hex'),
  percent: (value) => [...Buffer.from(value)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  json: (value) =>
    value
      .split('')
      .map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
};

/** Values as keys and passwords are made, always the same ones, and none a part of another. */
export function madeSecrets(count: number): { readonly name: string; readonly value: string }[] {
  const shapes = [
    (text: string) => `sk-ant-api03-${text.slice(0, 40)}`,
    (text: string) => Buffer.from(text, 'hex').toString('base64').slice(0, 40),
    (text: string) => text.slice(0, 32),
    (text: string) => `${text.slice(0, 5)}/+"\\&%${text.slice(5, 10)}`,
    (text: string) => `AIza${Buffer.from(text, 'hex').toString('base64url').slice(0, 35)}`,
  ];
  return Array.from({ length: count }, (_, index) => {
    const text = createHash('sha256').update(`secret ${index}`).digest('hex');
    return { name: `SECRET_${index + 1}`, value: (shapes[index % shapes.length] ?? String)(text) };
  });
}
