import { Argument } from 'commander'
import { NotALedger } from '../../errors/file-errors.ts'
import { WaybillError } from '../../errors/waybill-error.ts'
import { LEGACY_LOG } from '../../store/journal/must-be-there.ts'
import { defineCommand } from '../define-command.ts'
import { safeText } from '../output/safe-text.ts'
import { Session } from '../session.ts'

/** What may be in a folder that is as good as empty: files of the system, and of tools that nobody sees. */
const OVERLOOKED = /^(?:\..*|lost\+found)$/

export const init = defineCommand({
  name: 'init',
  summary: 'make an empty ledger',
  about:
    'Makes an empty ledger in a folder, which is made as well. If there is one already, it is left as it is, and that ' +
    'is said. All other commands only use ledgers that are there, so that a slip in a name makes no second one.',
  arguments: [new Argument('[dir]', 'the folder (default: that of --ledger)')],
  examples: [
    ['init', 'in ./ledger, or where WAYBILL_LEDGER says'],
    ['init /var/lib/waybill', 'somewhere else; give it to other commands with --ledger'],
  ],
  exits: [
    [0, 'there is a ledger now, or there was one already'],
    [2, 'the folder holds something else'],
  ],
  async run(session, options, [dir]) {
    const folder = (dir as string | undefined) ?? options.ledger
    const inFolder = new Session({ ...options, ledger: folder }, session.out, session.notes)
    try {
      const isNew = !(await isThere(inFolder))
      if (isNew) await make(inFolder)
      if (session.isJson) return await session.json({ ledger: folder, created: isNew })
      const what = isNew ? 'Made an empty ledger in' : 'There is a ledger already in'
      await session.out.line(`${what} ${safeText(folder)}`)
    } finally {
      await inFolder.close()
    }
    session.found(inFolder.exitCode)
  },
})

async function isThere(session: Session): Promise<boolean> {
  try {
    await session.openToRead()
    return true
  } catch (error) {
    const code = error instanceof WaybillError ? error.code : null
    if (code === 'FILE_NOT_FOUND' || (code === 'NOT_A_LEDGER' && !isAFile(error))) return false
    throw error
  }
}

/** A folder without a ledger has no cause; a file in its place has. */
function isAFile(error: unknown): boolean {
  return (error as Error).cause !== undefined
}

async function make(session: Session): Promise<void> {
  const folder = session.options.ledger
  const { realWorld } = await import('../../world/world.ts')
  const others = (await realWorld.disk.list(folder)).filter((name) => !OVERLOOKED.test(name))
  if (others.includes(LEGACY_LOG)) {
    throw new NotALedger(folder, `It has an old log. Take it over: ${session.hintOf('ledger migrate')}`)
  }
  if (others.length > 0) {
    const some = others.slice(0, 3).join(', ')
    throw new NotALedger(folder, `Something else is in there (${some}). Give a folder that is new or empty.`)
  }
  await session.openToWrite({ create: true })
}
