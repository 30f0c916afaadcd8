import type { Choices, CompletedCommand, CompletedOption } from './command-tree.ts'

/**
 * For zsh: a function for each command, which hands over to those below it. Whoever saves it among the functions of zsh
 * has it loaded by the first completion, which it then has to answer. `-A` leaves the options behind a command to that
 * command: there are some that it shares with the one above, which would stop there.
 */
export function zshCompletion(commands: readonly CompletedCommand[]): string {
  return `#compdef waybill
# Completion for waybill. Add to ~/.zshrc, after compinit:  source <(waybill completion zsh)
${commands.map(commandFunction).join('\n')}
compdef _waybill waybill
if [[ $funcstack[1] == _waybill ]]; then _waybill "$@"; fi
`
}

function commandFunction(command: CompletedCommand): string {
  const options = command.options.map((option) => `    ${optionSpec(option)}`)
  if (command.commands.length === 0) {
    const words = command.arguments.map((choices, i) => `    '${i + 1}:value:${action(choices)}'`)
    return `${nameOf(command.path)}() {
  _arguments -s \\
${[...options, ...words].join(' \\\n')}
}`
  }
  const names = command.commands.map(({ name, about }) => `'${quoted(`${name}:${about}`)}'`)
  const cases = command.commands.map(
    ({ name }) => `        ${name}) ${nameOf(`${command.path} ${name}`.trim())} ;;`,
  )
  return `${nameOf(command.path)}() {
  local curcontext="$curcontext" state line
  local -a commands=(${names.join(' ')})
  _arguments -C -A '-*' \\
${options.join(' \\\n')} \\
    '1: :->command' '*:: :->rest'
  case $state in
    command) _describe command commands ;;
    rest)
      case $line[1] in
${cases.join('\n')}
      esac ;;
  esac
}`
}

function optionSpec({ flags, about, value }: CompletedOption): string {
  const text = quoted(about.replace(/[[\]:]/g, (mark) => `\\${mark}`))
  // With an equals sign the value may follow in the same word, too.
  const names = flags.map((flag) => (value !== null && flag.startsWith('--') ? `${flag}=` : flag))
  const name = flags.length > 1 ? `'(${flags.join(' ')})'{${names.join(',')}}` : `'*'${names[0]}`
  return value === null ? `${name}'[${text}]'` : `${name}'[${text}]:value:${action(value.choices)}'`
}

function action(choices: Choices): string {
  if (choices === null) return '_files'
  return choices.length === 0 ? ' ' : `(${choices.join(' ')})`
}

function nameOf(path: string): string {
  return `_waybill${path === '' ? '' : `_${path.replaceAll(' ', '_')}`}`
}

function quoted(text: string): string {
  return text.replaceAll("'", "'\\''")
}
