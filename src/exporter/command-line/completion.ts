import type { Commands } from './command.ts';
import { type CommandName, type Flag, flagsFor } from './flags.ts';

/** Shells that completions are written for. */
export const SHELLS = ['bash', 'zsh'] as const;

export type Shell = (typeof SHELLS)[number];

/** What one flag of a command completes to: `--web.listen-address=`, or, of a switch, both of its forms. */
function formsOf(name: string, { value }: Flag): string[] {
  if (value.placeholder !== undefined) return [`--${name}=`];
  return value.option === undefined ? [`--${name}`, `--no-${name}`] : [`--${name}`];
}

/** The words that a flag takes, where they are few and known. */
function wordsOf({ value, words }: Flag, command: CommandName): readonly string[] {
  return words?.[command] ?? (value.placeholder?.includes('|') ? value.placeholder.split('|') : []);
}

/** A script by which a shell completes commands, their flags, and the values of flags that take one of a few words. */
export function completionScript(shell: Shell, commands: Commands): string {
  const names = Object.keys(commands).filter((name): name is CommandName => Object.hasOwn(commands, name));
  return SCRIPTS[shell](tablesOf(names));
}

type Tables = ReturnType<typeof tablesOf>;

/** What the scripts are filled with: lines of `case` by command, for its flags, and for the words that these take. */
function tablesOf(names: readonly CommandName[]) {
  const flags = names.map((name) => {
    const forms = flagsFor(name).flatMap(([flag, about]) => formsOf(flag, about));
    return `      ${name}) flags='${forms.join(' ')}' ;;`;
  });
  const values = names.flatMap((name) =>
    flagsFor(name).flatMap(([flag, about]) => {
      const words = wordsOf(about, name);
      return words.length === 0 ? [] : [`      ${name}:--${flag}) values='${words.join(' ')}' ;;`];
    }),
  );
  return {
    commands: `${names.join(' ')} help version completion`,
    pattern: names.join('|'),
    flags: flags.join('\n'),
    values: values.join('\n'),
  };
}

const SCRIPTS: Readonly<Record<Shell, (tables: Tables) => string>> = {
  bash: ({ commands, pattern, flags, values }) => `# source <(edge-exporter completion bash)
_edge_exporter() {
  local current command=serve word flags= values=
  current="\${COMP_LINE:0:COMP_POINT}"
  current="\${current##* }"
  for word in "\${COMP_WORDS[@]:1}"; do
    case "$word" in ${pattern}) command="$word"; break ;; esac
  done
  if [[ "$current" == --*=* ]]; then
    case "$command:\${current%%=*}" in
${values}
    esac
    if [ -n "$values" ]; then COMPREPLY=($(compgen -W "$values" -- "\${current#*=}"))
    else COMPREPLY=($(compgen -f -- "\${current#*=}")); fi
  elif [[ "$current" == -* ]]; then
    case "$command" in
${flags}
    esac
    COMPREPLY=($(compgen -W "$flags --help --version" -- "$current"))
    if [[ "\${COMPREPLY[0]-}" == *= ]]; then compopt -o nospace 2>/dev/null; fi
  elif [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W "${commands}" -- "$current"))
  else COMPREPLY=($(compgen -f -- "$current")); fi
}
complete -F _edge_exporter edge-exporter
`,
  zsh: ({ commands, pattern, flags, values }) => `#compdef edge-exporter
# source <(edge-exporter completion zsh), after compinit; or save it as _edge-exporter in a folder of $fpath
_edge_exporter() {
  local command=serve word flags= values=
  for word in "\${words[@]:1}"; do
    case "$word" in ${pattern}) command="$word"; break ;; esac
  done
  if [[ "$PREFIX" == --*=* ]]; then
    case "$command:\${PREFIX%%=*}" in
${values}
    esac
    compset -P '*='
    if [[ -n "$values" ]]; then compadd -- \${=values}; else _files; fi
  elif [[ "$PREFIX" == -* ]]; then
    case "$command" in
${flags}
    esac
    compadd -S '' -- \${(M)\${=flags}:#*=}
    compadd -- --help --version \${\${=flags}:#*=}
  elif (( CURRENT == 2 )); then compadd -- ${commands}
  else _files; fi
}
if [[ "\${funcstack[1]}" == _edge-exporter ]]; then _edge_exporter; else compdef _edge_exporter edge-exporter; fi
`,
};
