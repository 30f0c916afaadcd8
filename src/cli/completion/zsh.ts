import type { CompletedCommand, CompletedOption } from './command-tree.ts'

/** For zsh: a function for each command, which hands over to those below it. */
export function zshCompletion(commands: readonly CompletedCommand[]): string {
  return `#compdef waybill
# Completion for waybill. Add to ~/.zshrc, after compinit:  source <(waybill completion zsh)
${commands.map(commandFunction).join('\n')}
compdef _waybill waybill
`
}

function commandFunction(command: CompletedCommand): string {
  const options = command.options.map((option) => `    ${optionSpec(option)}`)
  if (command.commands.length === 0) {
    const words = command.arguments.map((choices, i) =>
      choices.length === 0 ? `    '${i + 1}:value:_default'` : `    '${i + 1}:value:(${choices.join(' ')})'`,
    )
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
  _arguments -C \\
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
  const name = flags.length > 1 ? `'(${flags.join(' ')})'{${flags.join(',')}}` : `'*'${flags[0]}`
  if (value === null) return `${name}'[${text}]'`
  const offered =
    value.choices === null ? '_files' : value.choices.length === 0 ? ' ' : `(${value.choices.join(' ')})`
  return `${name}'[${text}]:value:${offered}'`
}

function nameOf(path: string): string {
  return `_waybill${path === '' ? '' : `_${path.replaceAll(' ', '_')}`}`
}

function quoted(text: string): string {
  return text.replaceAll("'", "'\\''")
}
