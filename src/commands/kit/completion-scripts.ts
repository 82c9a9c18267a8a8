/** Shells that orgrepo writes a script for. */
export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/**
 * Each script asks orgrepo itself for what fits, with the line so far as words, so a newer orgrepo needs no new script. An answer
 * is a line for each candidate, with a tab before what it stands for; `:files` and `:directories` leave it to the shell.
 */
export const completionScripts: Readonly<Record<Shell, string>> = {
  bash: `# Completes orgrepo in bash. In ~/.bashrc: eval "$(orgrepo completion bash)"
_orgrepo() {
  local program="\${1/#\\~/$HOME}" current="\${COMP_WORDS[COMP_CWORD]}" line kind=
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) kind=-f ;;
      :directories) kind=-d ;;
      *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <("$program" completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)
  [ -z "$kind" ] && return
  compopt -o filenames 2> /dev/null
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$kind" -- "\${current#=}")
}
complete -o nosort -F _orgrepo orgrepo 2> /dev/null || complete -F _orgrepo orgrepo
`,
  zsh: `#compdef orgrepo
# Completes orgrepo in zsh. In ~/.zshrc, after compinit: eval "$(orgrepo completion zsh)"
_orgrepo() {
  local line
  local -a lines values shown
  lines=("\${(@f)$("\${(e)~words[1]}" completion zsh -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2> /dev/null)}")
  for line in $lines; do
    case $line in
      :files) _files ;;
      :directories) _files -/ ;;
      *$'\\t'*) values+=("\${line%%$'\\t'*}") shown+=("\${line/$'\\t'/  }") ;;
      ?*) values+=("$line") shown+=("$line") ;;
    esac
  done
  (( $#values )) && compadd -l -V orgrepo -d shown -a values
}
if [[ \${funcstack[1]} == _orgrepo ]]; then
  _orgrepo "$@"
elif (( $+functions[compdef] )); then
  compdef _orgrepo orgrepo
fi
`,
  fish: `# Completes orgrepo in fish: orgrepo completion fish > ~/.config/fish/completions/orgrepo.fish
function __orgrepo_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] completion fish -- $words[2..-1] "$current" 2> /dev/null)
        switch $line
            case :files
                __fish_complete_path $current
            case :directories
                __fish_complete_directories $current ''
            case '*'
                echo $line
        end
    end
end
complete -c orgrepo -f -k -a '(__orgrepo_complete)'
`,
};
