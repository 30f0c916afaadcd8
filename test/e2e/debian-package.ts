// Programs that not every machine has. A test that needs one installs it where that is allowed, and says why it is
// skipped where it is not.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const execute = promisify(execFile)

const ASK_TIMEOUT_MS = 10_000
/** Of the package lists, and of the package: together less than a test may take. */
const UPDATE_TIMEOUT_MS = 30_000
const INSTALL_TIMEOUT_MS = 40_000

const APT_OPTIONS = [
  '--quiet=2',
  '--option=Acquire::http::Timeout=10',
  '--option=Acquire::Retries=0',
  '--option=DPkg::Lock::Timeout=10',
]

/** Why there is no such program here; null when there is. Its package has its name. */
export async function whyNoProgram(name: string): Promise<string | null> {
  if (await answers(name)) return null
  if (process.platform !== 'linux') return `${name} is not installed`
  if (process.getuid?.() !== 0) return `${name} is not installed, and only root may install it`
  const problem = await install(name)
  if (await answers(name)) return null
  return problem === null ? `${name} is installed, and does not run` : `${name} is not installed: ${problem}`
}

/** A file of its name is not enough: it may be a stub, or for another kind of machine. */
async function answers(name: string): Promise<boolean> {
  try {
    const { stdout } = await execute(name, ['--version'], { timeout: ASK_TIMEOUT_MS })
    // Some write their name in two words there.
    return new RegExp(`^${name.replaceAll('-', '[- ]')}\\b.*\\d\\.\\d`, 'i').test(stdout)
  } catch {
    return false
  }
}

/** Answers what went wrong. A machine that was just made has no package lists: they are fetched when it fails. */
async function install(name: string): Promise<string | null> {
  const argv = ['install', '--yes', '--no-install-recommends', name]
  if ((await apt(argv, INSTALL_TIMEOUT_MS)) === null) return null
  return (await apt(['update'], UPDATE_TIMEOUT_MS)) ?? (await apt(argv, INSTALL_TIMEOUT_MS))
}

async function apt(argv: readonly string[], timeout: number): Promise<string | null> {
  try {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    await execute('apt-get', [...APT_OPTIONS, ...argv], { env, timeout })
    return null
  } catch (error) {
    const { message, stderr = '' } = error as Error & { stderr?: string }
    return /^E: .*/m.exec(stderr)?.[0] ?? message.split('\n')[0] ?? 'apt-get failed'
  }
}
