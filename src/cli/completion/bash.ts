import { type CompletedCommand, valueFlags } from './command-tree.ts'

/**
 * For bash: finds out which command the words before the cursor lead to, and offers what that command takes. Where
 * nothing is offered bash offers files, as `-o default` says, and knows better how to write them. Written for bash 3,
 * which is what a Mac has.
 */
export function bashCompletion(commands: readonly CompletedCommand[]): string {
  return `# Completion for waybill. Add to ~/.bashrc:  source <(waybill completion bash)
_waybill() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} path="" args=0 skip="" joined="" word i
  COMPREPLY=()
  # To bash colons and equals signs are words: pubmed:123 and --state=failed have three.
  if [[ $cur == [:=]* ]]; then joined=1 cur=""
  elif [[ $prev == [:=]* ]]; then joined=1 prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $word == [:=]* ]]; then skip=1; continue; fi
    if [[ -n $skip ]]; then skip=""; continue; fi
    case $word in
      ${valueFlags(commands).join('|')}) skip=1; continue ;;
      -*) continue ;;
    esac
    case "$path $word" in
      ${paths(commands).join('|')}) path="$path $word" ;;
      *) args=$((args + 1)) ;;
    esac
  done
  case "$path:$prev" in
${valueCases(commands)}
  esac
  if [[ -n $joined ]]; then return; fi
  if [[ $cur == -* ]]; then
    case "$path" in
${optionCases(commands)}
    esac
    return
  fi
  case "$path:$args" in
${wordCases(commands)}
  esac
}
complete -o default -F _waybill waybill
`
}

function paths(commands: readonly CompletedCommand[]): readonly string[] {
  return commands.filter(({ path }) => path !== '').map(({ path }) => `" ${path}"`)
}

function valueCases(commands: readonly CompletedCommand[]): string {
  return commands
    .flatMap(({ path, options }) =>
      options.flatMap(({ flags, value }) => {
        if (value === null) return []
        const cases = flags.map((flag) => `"${spaced(path)}:${flag}"`).join('|')
        const offered =
          value.choices === null || value.choices.length === 0 ? '' : `${offer(value.choices)}; `
        return `    ${cases}) ${offered}return ;;`
      }),
    )
    .join('\n')
}

function optionCases(commands: readonly CompletedCommand[]): string {
  return commands
    .map(({ path, options }) => {
      const flags = options.flatMap((option) => option.flags)
      return `      "${spaced(path)}") ${offer(flags)} ;;`
    })
    .join('\n')
}

function wordCases(commands: readonly CompletedCommand[]): string {
  return commands
    .flatMap((command) => {
      const { path } = command
      const names = command.commands.map(({ name }) => name)
      if (names.length > 0) return `    "${spaced(path)}:0") ${offer(names)} ;;`
      return command.arguments.flatMap((choices, i) =>
        choices === null || choices.length === 0 ? [] : `    "${spaced(path)}:${i}") ${offer(choices)} ;;`,
      )
    })
    .join('\n')
}

function offer(words: readonly string[]): string {
  return `COMPREPLY=($(compgen -W "${words.join(' ')}" -- "$cur"))`
}

function spaced(path: string): string {
  return path === '' ? '' : ` ${path}`
}
