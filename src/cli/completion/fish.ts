import type { CompletedCommand, CompletedOption } from './command-tree.ts'

/** For fish: a line for each thing there is to say, with the words after which it can be said. */
export function fishCompletion(commands: readonly CompletedCommand[]): string {
  return `# Completion for waybill. Save as ~/.config/fish/completions/waybill.fish
function __waybill_at
    set -l words (commandline -opc | string match -v -- '-*')
    set -e words[1]
    test "$words[1..(count $argv)]" = "$argv"
end
function __waybill_exactly
    set -l words (commandline -opc | string match -v -- '-*')
    set -e words[1]
    test "$words" = "$argv"
end
complete -c waybill -f
${commands.flatMap(commandLines).join('\n')}
`
}

function commandLines({ path, commands, options, arguments: args }: CompletedCommand): string[] {
  const isHere = path === '' ? '' : ` -n '__waybill_at ${path}'`
  const isNext = ` -n '__waybill_exactly ${path}'`
  const choices = args.flat()
  return [
    ...commands.map(({ name, about }) => `complete -c waybill${isNext} -a ${name} -d '${quoted(about)}'`),
    ...(choices.length === 0 ? [] : [`complete -c waybill${isHere} -a '${choices.join(' ')}'`]),
    // What every command takes is said once, for all of them.
    ...(path === '' || commands.length === 0
      ? options.map((option) => `complete -c waybill${isHere}${optionWords(option)}`)
      : []),
  ]
}

function optionWords({ flags, about, value }: CompletedOption): string {
  const names = flags.map((flag) => (flag.startsWith('--') ? ` -l ${flag.slice(2)}` : ` -s ${flag.slice(1)}`))
  const offered =
    value === null
      ? ''
      : value.choices === null
        ? ' -r -F'
        : value.choices.length === 0
          ? ' -x'
          : ` -x -a '${value.choices.join(' ')}'`
  return `${names.join('')}${offered} -d '${quoted(about)}'`
}

function quoted(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")
}
