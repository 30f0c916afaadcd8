// Makes sure the dependencies are installed and match the lockfile, so that `npm test` and `npm start` work
// in a fresh checkout. It runs before anything is installed, on whatever Node the machine has: no
// dependencies, no TypeScript, nothing newer than Node 20.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const OLDEST_NODE = 20
const root = fileURLToPath(new URL('..', import.meta.url))
const stampFile = join(root, 'node_modules', '.waybill-installed')
const localNode = join(
  root,
  'node_modules',
  'node',
  'bin',
  process.platform === 'win32' ? 'node.exe' : 'node',
)

/** Everything that decides what gets installed. Editing a script in package.json must not cost a reinstall. */
function fingerprint() {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const { dependencies, devDependencies, optionalDependencies, peerDependencies, overrides } = manifest
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(
      JSON.stringify([dependencies, devDependencies, optionalDependencies, peerDependencies, overrides]),
    )
    .update(`${process.platform}-${process.arch}`)
    .digest('hex')
}

function isInstalled(stamp) {
  return existsSync(localNode) && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp
}

/** npm may replace the Node that lives in node_modules: it must not run on that one. */
function environmentOutsideNodeModules() {
  const path = (process.env.PATH ?? '').split(delimiter).filter((entry) => !entry.includes('node_modules'))
  return { ...process.env, PATH: path.join(delimiter) }
}

/**
 * Not `npm ci`: tools with a native binary have one optional package per platform, and where a registry lacks
 * those of other platforms the lockfile cannot name them, which `npm ci` refuses. This installs what the
 * lockfile says just the same and leaves the lockfile alone.
 */
function install() {
  const { status, error } = spawnSync(
    'npm',
    ['install', '--no-save', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'],
    {
      cwd: root,
      env: environmentOutsideNodeModules(),
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: process.platform === 'win32',
    },
  )
  if (error) return `npm could not be started (${error.message}). Install npm and try again.`
  if (status !== 0) return 'npm install failed, see above. Check the network and try again.'
  if (!existsSync(localNode))
    return 'Node 26 was not set up: the install script of the `node` package did not run. Run `npm rebuild node --ignore-scripts=false` and try again.'
  return undefined
}

function fail(message) {
  console.error(`waybill: ${message}`)
  process.exit(1)
}

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  fail(`Node ${process.versions.node} is too old to set up this repository. Install Node 24 or newer.`)
}

const stamp = fingerprint()
if (!isInstalled(stamp)) {
  console.error('waybill: installing dependencies from package-lock.json (once, about a minute)…')
  const started = Date.now()
  const problem = install()
  if (problem) fail(problem)
  writeFileSync(stampFile, stamp)
  console.error(`waybill: dependencies installed in ${Math.round((Date.now() - started) / 1000)} s`)
}
