import type { Charter } from '../../domain/staff/charter.ts';
import { defaultCharter } from '../../org/read/org-file.ts';
import { type ShownSetting, settingsOf } from '../../org/write/charter-values.ts';
import { type Look, spell } from '../../terminal/look.ts';
import { visible } from '../../terminal/visible.ts';
import { cut, fit } from '../../terminal/width.ts';

/** Every value of culture, SDLC and policies, and where it was said. */
export function formatSettings(charter: Charter | undefined, look: Look): string {
  const settings = settingsOf(charter ?? defaultCharter());
  const widest = (of: (one: ShownSetting) => string): number =>
    Math.max(...settings.map((one) => visible(of(one)).length));
  const [name, value] = [
    widest(({ what }) => what),
    Math.min(
      40,
      widest((one) => one.value),
    ),
  ];
  const lines = settings.map(({ what, value: said, from, why }) => {
    const words = `${fit(visible(what), name)}  ${fit(visible(said), Math.max(value, visible(said).length))}`;
    return cut(`  ${words}  ${visible(from)}${why === undefined ? '' : ` · ${visible(why)}`}`, look.edge).trimEnd();
  });
  return spell(`\n${look.paint.bold('Settings, and where each was said')}\n\n${lines.join('\n')}\n`, look);
}
