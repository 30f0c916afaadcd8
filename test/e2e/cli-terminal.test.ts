// The command line on a terminal, in pipes, and when somebody stops it.
import { once } from 'node:events'
import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'string-width'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeFixture, WIDE_ID } from './cli-fixture.ts'
import { jsonLines, lines, Shell } from './cli-run.ts'
import { hasScript } from './environment.ts'

const shell = new Shell()

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape codes are what it is about
const COLOUR = /\u001b\[\d+m/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/

beforeAll(async () => {
  await makeFixture(shell.path('ledger'), Date.now())
})

afterAll(() => shell[Symbol.dispose]())

// A pseudo terminal needs the `script` of util-linux, which not every system has.
describe.skipIf(!hasScript())('on a terminal', () => {
  it.each([40, 80, 200])('of %i columns every row of a table is one line that fits', (columns) => {
    const { status, stdout } = shell.onTerminal(
      columns,
      'waybill docs list --limit 5 2>/dev/null; waybill ledger audit --limit 12 2>/dev/null',
    )
    expect(status).toBe(0)
    const shown = lines(stripVTControlCharacters(stdout))
    expect(shown).toHaveLength(6 + 13)
    expect(shown.filter((line) => stringWidth(line) > columns)).toEqual([])
    // The narrower it is the less is shown, but never nothing of what matters.
    expect(shown[0]).toMatch(
      { 40: /^ID +STATE +FOR$/, 80: /^ID +STATE .*ERROR$/ }[columns] ?? /^ID .*SINCE .*ERROR$/,
    )
    expect(shown[1]).toMatch(columns === 40 ? /^doc:日本.*retrying/ : /^doc:日本.*retrying .*TimeoutError/)
    if (columns === 200) expect(shown[1]).toContain(WIDE_ID)
  })

  it('says which columns have no room', () => {
    const { stdout } = shell.onTerminal(40, 'waybill docs list --limit 5')
    expect(stdout).toContain('No room for SINCE, ADAPTER, RETRIES, ERROR: widen the terminal, or use --json.')
  })

  it('has colours, and nothing else that a terminal would obey, whatever is in the ledger', () => {
    const { stdout } = shell.onTerminal(
      200,
      `waybill docs list --limit 5; waybill docs show ${WIDE_ID}; waybill docs show ${WIDE_ID} --json; waybill docs show nobody`,
    )
    expect(stdout.match(COLOUR)?.length).toBeGreaterThan(15)
    expect(stdout).toContain('␛[31mred␛[0m')
    expect(stdout.replace(COLOUR, '')).not.toMatch(CONTROL)
    expect(stdout).toContain('\u001b[31merror:\u001b[39m There is no document "nobody"')
  })

  it('has none when nobody wants them', () => {
    const commands = 'waybill docs list --limit 5; waybill docs show nobody; waybill --help'
    expect(shell.onTerminal(80, commands, { NO_COLOR: '1' }).stdout).not.toMatch(CONTROL)
    const without = commands.replaceAll(/(?<=show nobody|limit 5|help)/g, ' --no-color')
    expect(shell.onTerminal(80, without).stdout).not.toMatch(CONTROL)
  })

  it('shows help in its width', () => {
    const { stdout } = shell.onTerminal(60, 'waybill ledger stuck --help')
    const text = stripVTControlCharacters(stdout).split('Examples:')[0] ?? ''
    expect(lines(text).filter((line) => line.length > 60)).toEqual([])
    expect(stdout).toContain('\u001b[1mUsage:\u001b[22m')
  })
})

describe('in a pipe', () => {
  it('has no colours and cuts nothing, unless somebody insists', async () => {
    const [plain, forced] = await Promise.all([
      shell.run(['docs', 'list', '--limit', '5'], { COLUMNS: '40' }),
      shell.run(['docs', 'list', '--limit', '5'], { FORCE_COLOR: '1' }),
    ])
    expect(plain.stdout + plain.stderr).not.toMatch(CONTROL)
    expect(plain.stdout).not.toContain('…')
    expect(plain.stdout).toContain(`${WIDE_ID}  retrying`)
    expect(forced.stdout).toMatch(COLOUR)
  })

  it('ends well when the reader has enough', () => {
    const { stdout, stderr } = shell.bash(`
      waybill ledger audit --all --json | head -1 | cut -c1-9; echo \${PIPESTATUS[0]}
      waybill docs list --all | head -1 | cut -c1-2; echo \${PIPESTATUS[0]}`)
    expect(stderr).toBe('')
    expect(lines(stdout)).toEqual(['{"seq":1,', '0', 'ID', '0'])
  })

  it('fails when what it says cannot be written', () => {
    const { status, stderr } = shell.bash('waybill docs list > /dev/full')
    expect(status).toBe(1)
    expect(stderr).toContain('error: ENOSPC')
  })

  it('loses nothing when the reader is slow', async () => {
    const child = shell.start(['ledger', 'audit', '--all', '--json'])
    let text = ''
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      text += chunk
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    expect(jsonLines(text).map(({ seq }) => seq)).toEqual(jsonLines(text).map((_, i) => i + 1))
  })

  it('ends with 130 when it is interrupted, and says nothing', async () => {
    const child = shell.start(['ledger', 'audit', '--all', '--json'])
    let stderr = ''
    child.stderr.on('data', (text) => {
      stderr += text
    })
    // It is under way, and waits for somebody to read.
    await once(child.stdout, 'readable')
    child.kill('SIGINT')
    child.stdout.resume()
    const [status] = await once(child, 'close')
    expect({ status, stderr }).toEqual({ status: 130, stderr: '' })
  })
})
