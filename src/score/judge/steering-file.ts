import { foldName, showPath } from '../../text/file-name.ts';

/** A file that steers whoever works in its directory, and what a brief must say to let agents write it. */
export interface SteeringFile {
  /** What it does, as the end of "..., which". */
  readonly does: string;
  /** What to write after `allow:`. */
  readonly allow: string;
}

/**
 * What makes a path more than the candidate's own code: the next agent, an editor or an interpreter reads it without
 * being asked to. Undefined for an ordinary file. Letters' case is ignored, as many a tool does.
 */
export function steeringFile(path: string): SteeringFile | undefined {
  const parts = path.split('/');
  for (const [index, part] of parts.entries()) {
    const name = foldName(part);
    const inside = index < parts.length - 1;
    const does = table.find(({ names }) => names.test(name))?.does;
    if (does !== undefined) return { does, allow: showPath(inside ? `${part}/**` : part) };
  }
  return undefined;
}

/** Whether a file or a directory of this name speaks to agents, as instructions, settings, hooks or servers of tools. */
export const speaksToAgents = (name: string): boolean =>
  table[0]?.names.test(foldName(name)) === true || /^\.env(\..*)?$/.test(foldName(name));

/** By the whole name of a file or of a directory on the way to it; what speaks to agents comes first. */
const table: readonly { readonly does: string; readonly names: RegExp }[] = [
  {
    does: 'tells other agents what to do',
    names: anyOf(
      String.raw`agents?(\.override|\.local)?\.md|claude(\.local)?\.md|gemini\.md|copilot\.md|codex\.md|qwen\.md|warp\.md`,
      String.raw`copilot-instructions\.md|.*\.(instructions|prompt|chatmode)\.md`,
      String.raw`\.cursorrules|\.windsurfrules|\.clinerules|\.roorules.*|\.roomodes|\.goosehints|\.rules`,
      String.raw`\.claude|\.codex|\.gemini|\.cursor|\.opencode|\.windsurf|\.continue|\.roo|\.kiro|\.junie|\.amazonq|\.agents?`,
      String.raw`\.aider.*|opencode\.jsonc?|\.mcp\.json|\.trae|\.augment-guidelines|conventions\.md`,
    ),
  },
  {
    does: 'editors and shells obey when the directory is opened',
    names: anyOf(
      String.raw`\.vscode|\.idea|\.zed|\.devcontainer|\.devcontainer\.json|\.exrc|\.vimrc|\.nvimrc|\.nvim\.lua|\.dir-locals\.el`,
      String.raw`\.envrc|\.mise\.toml|mise\.toml|\.bashrc|\.bash_profile|\.profile|\.zshrc|\.zshenv|\.inputrc`,
    ),
  },
  {
    does: 'tools and interpreters load without being asked',
    names: anyOf(
      String.raw`\.npmrc|\.yarnrc.*|\.pnp\..*|\.pnpmfile\.c?js|\.husky|lefthook\.ya?ml|\.pre-commit-config\.yaml|bunfig\.toml|\.cargo`,
      String.raw`sitecustomize\.py|usercustomize\.py|\.pdbrc|\.gdbinit|\.lldbinit|\.node_repl_history`,
      String.raw`conftest\.py|.*\.pth|pyvenv\.cfg|tox\.ini|\.python-version|\.tool-versions|\.rprofile|\.eslintrc.*`,
      String.raw`\.env|\.env\..*|\.netrc|\.curlrc`,
    ),
  },
];

function anyOf(...names: readonly string[]): RegExp {
  return new RegExp(`^(?:${names.join('|')})$`);
}
