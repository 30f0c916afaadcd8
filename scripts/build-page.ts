// Builds the page into dist/page, unless what is there was made of the very same sources.
import { join } from 'node:path'
import { fingerprint, isBuiltFrom, noteBuiltFrom } from './built-from.ts'
import { ROOT, run } from './command.ts'

const PAGE = join(ROOT, 'dist/page')

// Types that the page takes from src/ leave nothing behind in it.
const print = fingerprint('ui/**/*.{ts,tsx,css,html,svg,json}')
if (!isBuiltFrom(PAGE, print)) {
  const { ok, output } = await run(['vite', 'build', '--config', 'ui/vite.config.ts', '--logLevel', 'warn'], {
    output: 'keep',
    timeoutMs: 120_000,
    // Also when a test has it built, which would make it half as large again.
    env: { NODE_ENV: 'production' },
  })
  if (ok) noteBuiltFrom(PAGE, print)
  else {
    console.error(output)
    process.exitCode = 1
  }
}
