// What a person's shell tells a program.
import { spawnSync } from 'node:child_process'

/**
 * Of whatever runs the tests only this is kept: it may say that there is colour, or none, where a ledger is, or that the
 * source stands for the package.
 */
const KEPT = /^(?:PATH|HOME|USER|LANG|LC_\w+|TMPDIR|TZ|NODE_COMPILE_CACHE|npm_config_(?!color)\w+)$/i

export function environment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => KEPT.test(name))
  return { ...Object.fromEntries(kept), TERM: 'xterm-256color', ...more }
}

/** Whether there is the `script` of util-linux: it makes pseudo terminals. */
export function hasScript(): boolean {
  return spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true
}
