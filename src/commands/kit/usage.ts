import { type Command, commonOptions, type Option } from './command.ts';

/** The help of one verb. */
export function formatCommandHelp(command: Command): string {
  const lines = [
    `orgrepo ${[command.name, ...command.arguments].join(' ')}`,
    '',
    `  ${command.summary}`,
    '',
    ...optionLines(command.options),
    ...(Object.keys(command.options).length > 0 ? [''] : []),
    ...optionLines(commonOptions),
    ...(command.examples.length > 0 ? ['', ...command.examples.map((example) => `  ${example}`)] : []),
  ];
  return `${lines.join('\n')}\n`;
}

function optionLines(options: Readonly<Record<string, Option>>): string[] {
  return Object.entries(options).map(([name, option]) => {
    const long = name.length === 1 ? `-${name}` : `--${name}`;
    const short = option.short !== undefined && option.short !== name ? `, -${option.short}` : '';
    const value = option.value === undefined ? '' : ` <${option.value}>`;
    const help = option.help.replaceAll('\n', `\n${' '.repeat(27)}`);
    return `  ${`${long}${short}${value}`.padEnd(24)} ${help}`;
  });
}
