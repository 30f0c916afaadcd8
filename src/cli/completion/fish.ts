import { type Choices, type CompletedCommand, type CompletedOption, valueFlags } from './command-tree.ts'

/** For fish: a line for each thing there is to say, with the words after which it can be said. */
export function fishCompletion(commands: readonly CompletedCommand[]): string {
  const shared = commands.find(({ path }) => path === '')?.options ?? []
  return `# Completion for waybill. Save as ~/.config/fish/completions/waybill.fish
# The words before the cursor, without options and their values.
function __waybill_words
    set -l words (commandline -opc)
    set -e words[1]
    set -l skip no
    for word in $words
        if test $skip = yes
            set skip no
            continue
        end
        switch $word
            case ${valueFlags(commands).join(' ')}
                set skip yes
            case '-*'
            case '*'
                echo $word
        end
    end
end
# Whether they lead to this command.
function __waybill_at
    set -l words (__waybill_words)
    set -l length (count $argv)
    test $length -eq 0; or test "$words[1..$length]" = "$argv"
end
# Whether they lead to this command, and so many arguments of it are there already.
function __waybill_after
    set -l given $argv[1]
    set -e argv[1]
    test (count (__waybill_words)) -eq (math $given + (count $argv)); and __waybill_at $argv
end
complete -c waybill -f
${shared.map((option) => `complete -c waybill${optionWords(option)}`).join('\n')}
${commands.flatMap((command) => commandLines(command, shared)).join('\n')}
`
}

/** What every command takes is said before, once for all of them. */
function commandLines(command: CompletedCommand, shared: readonly CompletedOption[]): string[] {
  const { path } = command
  const own = command.options.filter((option) => !shared.includes(option))
  const next = `complete -c waybill -n '${['__waybill_after 0', path].join(' ').trim()}'`
  return [
    ...command.commands.map(({ name, about }) => `${next} -a ${name} -d '${quoted(about)}'`),
    ...command.arguments.flatMap((choices, i) =>
      choices?.length === 0 ? [] : `complete -c waybill -n '__waybill_after ${i} ${path}'${offered(choices)}`,
    ),
    ...own.map((option) => `complete -c waybill -n '__waybill_at ${path}'${optionWords(option)}`),
  ]
}

function optionWords({ flags, about, value }: CompletedOption): string {
  const names = flags.map((flag) => (flag.startsWith('--') ? ` -l ${flag.slice(2)}` : ` -s ${flag.slice(1)}`))
  const follows = value === null ? '' : `${value.choices === null ? ' -r' : ' -x'}${offered(value.choices)}`
  return `${names.join('')}${follows} -d '${quoted(about)}'`
}

function offered(choices: Choices): string {
  if (choices === null) return ' -F'
  return choices.length === 0 ? '' : ` -a '${choices.join(' ')}'`
}

function quoted(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")
}
