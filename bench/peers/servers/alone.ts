// Keeps a run off every network but the loopback. The server of Restate asks GitHub for its latest release when it
// starts, and has no switch for that; and nobody who measures wants to wonder what else does.
import { spawn, spawnSync } from 'node:child_process'
import { constants } from 'node:os'

const MARK = 'WAYBILL_PEERS_ALONE'
const UP = 'ip link set lo up && exec "$0" "$@"'

/** Whether this process has no other network than the loopback. */
export function isAlone(): boolean {
  return process.env[MARK] === '1'
}

/** Linux lets root do so, with what Debian has anyway. */
export function canBeAlone(): boolean {
  const isAllowed = process.platform === 'linux' && process.getuid?.() === 0
  return (
    isAllowed && spawnSync('unshare', ['--net', 'sh', '-c', UP, 'true'], { stdio: 'ignore' }).status === 0
  )
}

/** Runs this very command again, without a network; answers how it ended. */
export function runAlone(): Promise<number> {
  const command = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  const child = spawn('unshare', ['--net', 'sh', '-c', UP, ...command], {
    env: { ...process.env, [MARK]: '1' },
    stdio: 'inherit',
  })
  // In a terminal the child is told as well, and has to remove what it made.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    )
  })
}
