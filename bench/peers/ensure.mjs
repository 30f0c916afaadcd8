// Installs what is measured beside Waybill, once: bench/peers/node_modules. It is apart from the project's own
// dependencies, so that nobody else has to install it. No install script runs: none of these needs one.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('.', import.meta.url))
const stampFile = join(folder, 'node_modules', '.waybill-installed')
const stamp = createHash('sha256')
  .update(readFileSync(join(folder, 'package.json')))
  .update(readFileSync(join(folder, 'package-lock.json')))
  .update(`${process.platform}-${process.arch}`)
  .digest('hex')

if (!existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== stamp) {
  console.error('waybill: installing the systems to compare with into bench/peers (once, about 300 MB)…')
  const path = (process.env.PATH ?? '').split(delimiter).filter((entry) => !entry.includes('node_modules'))
  const { status, error } = spawnSync(
    'npm',
    ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    {
      cwd: folder,
      env: { ...process.env, PATH: path.join(delimiter) },
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: process.platform === 'win32',
    },
  )
  if (error !== undefined || status !== 0) {
    console.error('waybill: npm install in bench/peers failed, see above. Check the network and try again.')
    process.exit(1)
  }
  writeFileSync(stampFile, stamp)
}
