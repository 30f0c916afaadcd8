import { join } from 'node:path'
import { Argument } from 'commander'
import { NotALedger } from '../../errors/file-errors.ts'
import { WaybillError } from '../../errors/waybill-error.ts'
import { LEGACY_LOG } from '../../store/journal/must-be-there.ts'
import { isFolder } from '../../store/open-store.ts'
import { defineCommand } from '../define-command.ts'
import { safeText } from '../output/safe-text.ts'
import { Session } from '../session.ts'

/** What may be in a folder that is as good as empty: files of the system, and of tools that nobody sees. */
const OVERLOOKED = /^(?:\..*|lost\+found)$/

export const init = defineCommand({
  name: 'init',
  summary: 'make an empty ledger',
  about:
    'Makes an empty ledger in a folder, which is made as well; in a file of SQLite; in a schema of a PostgreSQL ' +
    'database, where it makes the tables, or brings those of an earlier version up to date; or in tables of an Azure storage ' +
    'account. If there is a ledger ' +
    'already, it is left as it is, and that is said. A folder gets a .gitignore, so that a ledger in a repository is not ' +
    'committed with it. All other commands only use ledgers that are there, so that a ' +
    'slip in a name makes no second one.',
  arguments: [
    new Argument(
      '[place]',
      'a folder, sqlite:FILE, postgres://… or azure-tables:… (default: that of --ledger)',
    ),
  ],
  examples: [
    ['init', 'in ./ledger, or where WAYBILL_LEDGER says'],
    ['init /var/lib/waybill', 'somewhere else; give it to other commands with --ledger'],
    ['init sqlite:./ledger.db', 'for several processes of this machine'],
    ['init postgres://ann@db.example/work', 'for many machines; the password is in PGPASSWORD or ~/.pgpass'],
    ['init postgres://ann@db.example/work?schema=tests', 'in a schema that is not called waybill'],
    [
      'init azure-tables:https://work.table.core.windows.net?prefix=Tests',
      'in tables of Azure whose names begin with Tests, as whoever is logged in',
    ],
  ],
  exits: [
    [0, 'there is a ledger now, or there was one already'],
    [2, 'the folder or file holds something else'],
  ],
  async run(session, options, [place]) {
    const ledger = (place as string | undefined) ?? options.ledger
    const there = new Session({ ...options, ledger }, session.out, session.notes)
    try {
      const found = await lookAt(there)
      if (found !== 'there') await make(there)
      if (session.isJson) {
        const updated = found === 'old' ? { updated: true } : null
        return await session.json({ ledger: there.shownLedger, created: found === 'nothing', ...updated })
      }
      await session.out.line(`${SAID[found]} ${safeText(there.shownLedger)}`)
    } finally {
      await there.close()
    }
    session.found(there.exitCode)
  },
})

const SAID = {
  nothing: 'Made an empty ledger in',
  there: 'There is a ledger already in',
  old: 'Brought up to date the tables in',
} as const

async function lookAt(session: Session): Promise<keyof typeof SAID> {
  try {
    await session.openToRead()
    return 'there'
  } catch (error) {
    const code = error instanceof WaybillError ? error.code : null
    if (code === 'SCHEMA_TOO_OLD') return 'old'
    if (code === 'FILE_NOT_FOUND') return 'nothing'
    // Of a database that is not empty its engine says so once more.
    if (code === 'NOT_A_LEDGER' && !(isFolder(session.options.ledger) && isAFile(error))) return 'nothing'
    throw error
  }
}

/** A folder without a ledger has no cause; a file in its place has. */
function isAFile(error: unknown): boolean {
  return (error as Error).cause !== undefined
}

async function make(session: Session): Promise<void> {
  const folder = session.options.ledger
  if (isFolder(folder)) await mustBeEmpty(session, folder)
  await session.openToWrite({ create: true })
  if (isFolder(folder)) await keepOutOfGit(folder)
}

const IGNORE_ALL = Buffer.from('*\n')

/** A ledger in a repository is not part of it: nobody, and no tool, is to commit it by accident. */
async function keepOutOfGit(folder: string): Promise<void> {
  const { realWorld } = await import('../../world/world.ts')
  const path = join(folder, '.gitignore')
  const there = await realWorld.disk.openToRead(path)
  if (there !== null) return there.close()
  const file = await realWorld.disk.open(path)
  await file.write(0, IGNORE_ALL)
  await file.close()
}

async function mustBeEmpty(session: Session, folder: string): Promise<void> {
  const { realWorld } = await import('../../world/world.ts')
  const others = (await realWorld.disk.list(folder)).filter((name) => !OVERLOOKED.test(name))
  if (others.includes(LEGACY_LOG)) {
    throw new NotALedger(folder, `It has an old log. Take it over: ${session.hintOf('ledger migrate')}`)
  }
  if (others.length > 0) {
    const some = others.slice(0, 3).join(', ')
    throw new NotALedger(folder, `Something else is in there (${some}). Give a folder that is new or empty.`)
  }
}
