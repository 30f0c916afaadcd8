// The layers of src/ and who may import whom. Imports point inward:
//
//   core ← world, errors ← store ← ledger ← runtime ← orchestrator ← server ← cli
//
// `wire` is what the ledger's side and the services' side say to each other, and how it is signed: it knows neither.
// `service` is the other side, a package of its own in all but name: it reaches the ledger by messages only.
// `testing` is for users' tests as much as ours. The files directly in src/ are the composition root: they
// wire the layers together and nothing imports them, except that every entry point may begin with the check
// of the Node version, and that the command line is a user of the library like any other, or of the part of it that
// opens ledgers: most commands need no more, and start the sooner.

const INWARD = [
  'core',
  'world',
  'errors',
  'store',
  'ledger',
  'wire',
  'runtime',
  'orchestrator',
  'server',
  'cli',
] as const

export type Layer = (typeof INWARD)[number] | 'service' | 'testing' | 'root'

const NODE_VERSION = 'src/node-version.ts'
const LIBRARY: readonly string[] = ['src/index.ts', 'src/open-ledger.ts']
const ENTRY_POINTS: readonly Layer[] = ['root', 'service', 'testing', 'server', 'cli']

const MAY_IMPORT: Record<Layer, readonly Layer[]> = {
  core: [],
  world: ['core'],
  errors: ['core'],
  store: INWARD.slice(0, INWARD.indexOf('store')),
  ledger: INWARD.slice(0, INWARD.indexOf('ledger')),
  wire: ['core', 'world', 'errors'],
  service: ['core', 'world', 'errors', 'wire'],
  runtime: INWARD.slice(0, INWARD.indexOf('runtime')),
  orchestrator: INWARD.slice(0, INWARD.indexOf('orchestrator')),
  server: INWARD.slice(0, INWARD.indexOf('server')),
  cli: INWARD.slice(0, INWARD.indexOf('cli')),
  testing: INWARD.slice(0, INWARD.indexOf('orchestrator')),
  root: [...INWARD, 'testing'],
}

/** The layer of a file in src/, or undefined if its folder is not a layer. */
export function layerOf(path: string): Layer | undefined {
  const [, folder = '', ...rest] = path.split('/')
  if (rest.length === 0) return 'root'
  return folder !== 'root' && Object.hasOwn(MAY_IMPORT, folder) ? (folder as Layer) : undefined
}

export function mayImport(from: Layer, to: Layer, target: string): boolean {
  if (target === NODE_VERSION) return ENTRY_POINTS.includes(from)
  if (LIBRARY.includes(target) && from === 'cli') return true
  return from === to || MAY_IMPORT[from].includes(to)
}

export function allowedLayers(from: Layer): string {
  return [from, ...MAY_IMPORT[from]].join(', ')
}
