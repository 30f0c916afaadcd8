// The package as its users get it: packed, installed into an empty project, and loaded by a plain Node.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { environment } from './environment.ts'
import { followFiveMinuteStart } from './five-minute-start.ts'
import { PATIENCE_MS, type PackedProject, packedProject } from './packed-project.ts'
import { ROOT } from './scratch.ts'
import { askedElsewhere, deadLinks, isSmall, notInNavigation } from './site-pages.ts'

const OLDEST_SUPPORTED = 24

/** With everything it depends on, as npm installs it; drivers of engines are for those who use them. */
const MOST_PACKAGES = 110
const MOST_BYTES = 45_000_000
const BLOCK_BYTES = 4096
/** What is left, in characters, in a program that uses one name. */
const MOST_FOR_ONE_NAME = 6_000

let project: PackedProject
let app = ''

beforeAll(() => {
  project = packedProject()
  app = project.app
}, 2 * PATIENCE_MS)

afterAll(() => project?.[Symbol.dispose]())

it('loads from an empty project and exports what the documentation shows', () => {
  const script = `
    import { LedgerState, openLedger } from 'waybill'
    console.log(JSON.stringify({ openLedger: typeof openLedger, LedgerState: typeof LedgerState }))`
  const { status, stdout, stderr } = runScript(process.execPath, script)
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual({ openLedger: 'function', LedgerState: 'object' })
  expect(status).toBe(0)
})

it('keeps a ledger in a folder, and makes its snapshots in another thread', () => {
  const { status, stdout, stderr } = runScript(
    process.execPath,
    `import { openLedger } from 'waybill'
const ledger = await openLedger('./ledger')
await ledger.documents.updateState('a', 'skipped')
const { compacted, snapshot } = await ledger.compact()
console.log(JSON.stringify([compacted, snapshot.seq, snapshot.document_count]))
await ledger.close()
const again = await openLedger('./ledger')
console.log(await again.documents.getState('a'), (await again.check()).length)
await again.close()`,
  )
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toBe('[true,1,1]\nskipped 0\n')
})

it('brings the command line, and completes it', () => {
  const run = (...args: string[]) => {
    const { status, stdout } = spawnSync(join(app, 'node_modules/.bin/waybill'), args, {
      cwd: app,
      encoding: 'utf8',
      env: environment(),
      timeout: 30_000,
    })
    return { status, stdout }
  }
  expect(run('init', 'commanded').status).toBe(0)
  expect(run('docs', 'set', 'a', 'fetching', '--ledger', 'commanded')).toEqual({
    status: 0,
    stdout: 'a: pending → fetching\n',
  })
  expect(JSON.parse(run('ledger', 'compact', '--json', '--ledger', 'commanded').stdout)).toMatchObject({
    compacted: true,
    snapshot: { document_count: 1 },
  })
  expect(run('docs', 'show', 'nobody', '--ledger', 'commanded').status).toBe(3)
  expect(run('--version').stdout).toMatch(/^\d+\.\d+\.\d+/)
})

it('brings the page as it was built, and not what it was made of', () => {
  const within = (name: string) => join(app, 'node_modules/waybill', name)
  expect(existsSync(within('dist/page/index.html'))).toBe(true)
  expect(readdirSync(within('dist/page/assets')).length).toBeGreaterThan(0)
  for (const name of ['ui', 'test', 'src', 'dist/page/manifest.json'])
    expect(existsSync(within(name))).toBe(false)
})

it('does what the five-minute start says, command by command', () => followFiveMinuteStart(app))

describe('the site of the documentation', () => {
  const site = () => join(app, 'node_modules/waybill/dist/site')

  it('has every page in its navigation, and links that lead somewhere', () => {
    expect(notInNavigation(site())).toEqual([])
    expect(deadLinks(site())).toEqual([])
  })

  it('asks nobody else for anything, and is small', () => {
    expect(askedElsewhere(site())).toEqual([])
    expect(isSmall(site())).toBe(true)
  })

  it('has llms.txt, whose pages are there as Markdown, in the package as well', () => {
    for (const folder of [site(), join(app, 'node_modules/waybill')]) {
      const links = [...readFileSync(join(folder, 'llms.txt'), 'utf8').matchAll(/\]\(([^)]+)\)/g)]
      expect(links.length).toBeGreaterThan(30)
      for (const [, link = ''] of links) expect(existsSync(join(folder, link))).toBe(true)
    }
  })
})

it('brings no development tools along', () => {
  const installed = readdirSync(join(app, 'node_modules')).filter((name) => !name.startsWith('.'))
  const own = ['canonicalize', 'cli-progress', 'commander', 'croner', 'fastest-levenshtein']
  const also = ['prom-client', 'string-width', 'uuid', 'waybill']
  expect(installed).toEqual(expect.arrayContaining([...own, ...also]))
  // Zod is within.
  for (const tool of ['vitest', 'vitepress', 'typescript', '@biomejs', 'fast-check', 'node', 'zod'])
    expect(installed).not.toContain(tool)
  expect(existsSync(join(app, 'node_modules/waybill/dist/index.d.ts'))).toBe(true)
})

it('is small enough to be one dependency among others', () => {
  const { packages } = JSON.parse(readFileSync(join(app, 'node_modules/.package-lock.json'), 'utf8'))
  expect(Object.keys(packages).length).toBeLessThanOrEqual(MOST_PACKAGES)
  expect(bytesIn(join(app, 'node_modules'))).toBeLessThanOrEqual(MOST_BYTES)
})

it('exports what the source exports, and nothing beside', () => {
  const waysIn = ['waybill', 'waybill/server', 'waybill/service', 'waybill/testing']
  const imports = waysIn.map((name) => `'${name}': Object.keys(await import('${name}')).sort()`)
  const script = `console.log(JSON.stringify({ ${imports} }))`
  const source = ['--conditions=waybill-source', '--input-type=module', '--eval', script]
  const ofSource = spawnSync(process.execPath, source, {
    cwd: ROOT,
    encoding: 'utf8',
    env: environment(),
    timeout: 30_000,
  })
  const ofPackage = runScript(process.execPath, script)
  expect([ofSource.stderr, ofPackage.stderr]).toEqual(['', ''])
  const names = JSON.parse(ofSource.stdout)
  expect(Object.values(names).flat().length).toBeGreaterThan(100)
  expect(JSON.parse(ofPackage.stdout)).toEqual(names)
})

describe('whoever imports', () => {
  /** Packages, and parts of Waybill, by name. */
  function loadedBy(specifier: string): readonly string[] {
    const { stdout, stderr } = runScript(process.execPath, `import '${specifier}'`, [
      '--import',
      join(import.meta.dirname, 'loaded-modules.mjs'),
    ])
    expect(stderr).toBe('')
    const paths = (JSON.parse(stdout) as string[]).map((url) => url.split('/node_modules/').at(-1) ?? '')
    return [
      ...new Set(
        paths.map(
          (path) => /^waybill\/dist\/(.*)\.js$|^(?:@[^/]+\/)?[^/]+/.exec(path)?.findLast(Boolean) ?? path,
        ),
      ),
    ]
  }

  const server = ['serve', 'server/index', 'fastify', 'pino', 'prom-client'].map(part)
  const commandLine = ['run', 'cli/main', 'commander', 'cli-progress', 'string-width'].map(part)
  const drivers = ['pg', '@azure/data-tables', '@azure/identity', '@nats-io/jetstream', 'fast-check']
  const engines = ['journal', 'sqlite', 'postgres', 'azure-tables', 'memory-store'].map(part)
  const elsewhere = [...server, ...commandLine, ...drivers, ...engines]

  /** By the name that it has in `dist/`, if it has one there. */
  function part(name: string): string {
    return existsSync(join(ROOT, `dist/parts/${name}.js`)) ? `parts/${name}` : name
  }

  it('the library loads no server, no command line, no engine and no driver', () => {
    const loaded = loadedBy('waybill')
    expect(loaded).toContain('index')
    expect(loaded.filter((name) => [...elsewhere, 'yaml', 'ajv'].includes(name))).toEqual([])
  })

  it('the part for services loads little more than itself', () => {
    const loaded = loadedBy('waybill/service')
    expect(loaded).toContain('service/index')
    expect(
      loaded.filter((name) => [...elsewhere, 'index', part('zod'), 'zod', 'ajv'].includes(name)),
    ).toEqual([])
  })

  it('the server loads it, so that the names above are those that it has', () => {
    expect(loadedBy('waybill/server')).toEqual(expect.arrayContaining(['fastify', part('serve')]))
    for (const name of [
      'serve',
      'run',
      'zod',
      'journal',
      'sqlite',
      'postgres',
      'azure-tables',
      'memory-store',
    ])
      expect(part(name)).toBe(`parts/${name}`)
  })

  it('one name has a bundler leave everything else out', async () => {
    const file = join(app, 'bundled.js')
    writeFileSync(file, `import { LedgerState } from 'waybill'\nconsole.log(LedgerState)`)
    const bundle = await rolldown({ input: file, cwd: app, logLevel: 'silent' })
    const { output } = await bundle.generate({ minify: true })
    const [{ code, moduleIds }] = output
    expect(output).toHaveLength(1)
    // The rules, which need nothing but Node; no engine, no dependency.
    expect(moduleIds.map((id) => id.split('/node_modules/').at(-1))).toEqual([
      'waybill/dist/parts/core.js',
      file,
    ])
    expect(code).not.toMatch(/\b(?:from|import)\s*["'(](?!node:)/)
    expect(code.length).toBeLessThan(MOST_FOR_ONE_NAME)
  })
})

it('tells an older Node which one is needed', (context) => {
  const node = olderNode()
  if (node === undefined) return context.skip(`no Node older than ${OLDEST_SUPPORTED} on this machine`)
  const { status, stderr } = runScript(node, `import 'waybill'`)
  expect(status).not.toBe(0)
  expect(stderr).toContain(`Node ${OLDEST_SUPPORTED}`)
  expect(stderr).not.toContain('SyntaxError')
})

function runScript(node: string, script: string, options: readonly string[] = []) {
  const file = join(app, 'script.mjs')
  writeFileSync(file, script)
  return spawnSync(node, [...options, file], {
    cwd: app,
    encoding: 'utf8',
    env: environment(),
    timeout: 30_000,
  })
}

function bytesIn(path: string): number {
  const found = lstatSync(path)
  // A file takes up whole blocks.
  if (!found.isDirectory()) return Math.ceil(found.size / BLOCK_BYTES) * BLOCK_BYTES
  return readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0)
}

/** npm puts this repository's Node 26 first on the PATH; the machine's own may be further down. */
function olderNode(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((entry) => !entry.includes('node_modules'))
  return folders
    .map((entry) => join(entry, 'node'))
    .filter((file) => existsSync(file))
    .find((file) => majorOf(file) < OLDEST_SUPPORTED)
}

function majorOf(node: string): number {
  return Number(execFileSync(node, ['-p', 'parseInt(process.versions.node)'], { env: environment() }))
}
