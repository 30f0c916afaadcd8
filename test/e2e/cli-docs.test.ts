// The reference in docs/cli.md is what the program says of itself. After a change: npx vitest run -u --project e2e cli-docs
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect, it } from 'vitest'
import { createProgram } from '../../src/cli/program.ts'
import { ROOT } from './scratch.ts'

const PAGE = join(ROOT, 'docs/cli.md')
const MARK = '<!-- From here on it is what the program says of itself. -->\n'

function leavesOf(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf)
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
}

/** As on a terminal of a hundred columns, without what is the same for every command. */
function helpOf(command: Command): string {
  let text = ''
  command.configureHelp({ ...command.configureHelp(), showGlobalOptions: command.parent === null })
  command.configureOutput({
    writeOut: (part) => {
      text += part
    },
    getOutHelpWidth: () => 100,
  })
  command.outputHelp()
  return text
    .replace(/ *-h, --help.*\n/, '')
    .replace('Options:\n\n', '')
    .trimEnd()
}

it('docs/cli.md has every command, option, example and exit code', async () => {
  const [introduction = ''] = readFileSync(PAGE, 'utf8').split(MARK)
  const program = createProgram(async () => {}, { color: false })
  const sections = [program, ...leavesOf(program)].map(
    (command) => `### ${pathOf(command)}\n\n\`\`\`text\n${helpOf(command)}\n\`\`\`\n`,
  )
  await expect(`${introduction}${MARK}\n${sections.join('\n')}`).toMatchFileSnapshot(PAGE)
})

it('every command explains itself, with examples', () => {
  for (const command of leavesOf(createProgram(async () => {}, { color: false }))) {
    const text = helpOf(command)
    expect(text).toContain('Examples:')
    expect(text.match(/^ {2}waybill /gm)?.length, pathOf(command)).toBeGreaterThanOrEqual(2)
    for (const option of command.options) expect(option.description, option.flags).not.toBe('')
  }
})
