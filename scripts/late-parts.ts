// Parts of the package that are loaded when one of their functions is first called. Whoever imports the library waits for all
// that it imports: a thousand functions are read to find out where they end, and most of them are never called. In the source
// these are imports like others. Here each import of such a file from elsewhere becomes one of functions of the same names
// that load the part, with `require`, as who calls them expects an answer and no promise.
import { join, relative } from 'node:path'
import type { Plugin } from 'rolldown'
import { parseAst } from 'rolldown/parseAst'
import { ROOT } from './command.ts'

/** Files of functions, and of nothing else, that most programs never call. */
const LATE = [
  // What is not plainly sound is checked by schemas: they and zod are a fifth of all there is to load.
  'src/ledger/checked-envelope.ts',
  'src/ledger/checked-protocol.ts',
  'src/ledger/checked-result.ts',
  'src/ledger/checked-steering.ts',
  'src/ledger/check-new-token.ts',
  'src/ledger/stage-report.ts',
  'src/runtime/callbacks/callback-body.ts',
  // They stand on modules of Node that take a millisecond or more to load.
  'src/store/sqlite/begin-thread.ts',
  'src/world/heap.ts',
  // Those stand on packages of others, which have to be looked for.
  'src/errors/nearest-of.ts',
  'src/ledger/calendar.ts',
  'src/ledger/hash-by-library.ts',
  'src/store/journal/snapshot-schedule.ts',
  // What is done to a ledger now and then.
  'src/copy-ledger.ts',
  'src/legacy-logs.ts',
  'src/repair-ledger.ts',
  'src/ledger/legacy/migrate.ts',
  'src/store/check-records.ts',
  'src/ledger/update-many.ts',
  'src/store/journal/check-journal.ts',
  'src/store/journal/compactor.ts',
  'src/store/journal/segments/verify-segment.ts',
  'src/store/journal/snapshot/verify-snapshot.ts',
  // What people look at.
  'src/core/group/board.ts',
  'src/ledger/as-of.ts',
  'src/ledger/attempts.ts',
  'src/ledger/related.ts',
  'src/ledger/stuck.ts',
  'src/ledger/tenants.ts',
  'src/ledger/why.ts',
  // Rules of what is not jobs that are done.
  'src/core/document/import.ts',
  'src/core/group/decide.ts',
  'src/core/job/again.ts',
  'src/core/job/expedite.ts',
  'src/core/job/stage-report.ts',
  'src/core/queue/decide.ts',
  'src/core/schedule/decide.ts',
  'src/core/token/decide.ts',
  // What says what went wrong.
  'src/errors/shown-url.ts',
  'src/ledger/error-context.ts',
  // Topologies as people write them, and tool jobs.
  'src/orchestrator/job-events.ts',
  'src/orchestrator/job-view.ts',
  'src/orchestrator/pipeline/read-topology.ts',
  'src/orchestrator/pipeline/topology-file.ts',
  'src/orchestrator/process/place-of.ts',
  'src/orchestrator/provenance.ts',
  'src/orchestrator/reports/read-test-totals.ts',
  'src/orchestrator/tools/read-tool-job.ts',
  'src/orchestrator/tools/tool-attempt.ts',
  'src/orchestrator/tools/tool-job.ts',
  'src/orchestrator/tools/tool-protocol.ts',
  'src/orchestrator/tools/tool-world.ts',
  // Whoever does jobs needs these; who submits them does not.
  'src/runtime/new-services.ts',
  // Ways to services and back.
  'src/runtime/callbacks/serve-callbacks.ts',
  'src/runtime/publishers/http.ts',
  'src/runtime/publishers/nats.ts',
  'src/wire/verify-signature.ts',
]

const SOURCE = join(ROOT, 'src')
const FILES: ReadonlySet<string> = new Set(LATE.map((file) => join(ROOT, file)))
const STUB = '\0late:'
/** Where the part lies, seen from the chunk that asks for it: known when there are chunks. */
const PLACE = '__WAYBILL_PARTS__'

/** The ways in, as those of the package are: one for each. */
export function lateParts(folder: string): { readonly [name: string]: string } {
  return Object.fromEntries([...FILES].map((file) => [`${folder}/${nameOf(file)}`, file]))
}

export function loadedLate(folder: string): Plugin {
  return {
    name: 'late-parts',
    async resolveId(source, importer, options) {
      if (importer === undefined || importer.startsWith(STUB) || !source.startsWith('.')) return null
      const found = await this.resolve(source, importer, { ...options, skipSelf: true })
      if (found === null || !FILES.has(found.id) || FILES.has(importer)) return null
      return { id: STUB + found.id, moduleSideEffects: false }
    },
    async load(id) {
      if (!id.startsWith(STUB)) return null
      const file = id.slice(STUB.length)
      const { code } = await this.load({ id: file })
      return stubsOf(nameOf(file), functionsIn(file, code ?? ''))
    },
    renderChunk(code, { fileName }) {
      if (!code.includes(PLACE)) return null
      const up = '../'.repeat(fileName.split('/').length - 1)
      return code.replaceAll(PLACE, fileName.startsWith(`${folder}/`) ? '.' : `./${up}${folder}`)
    },
  }
}

/** Names of files are there more than once. */
function nameOf(file: string): string {
  return relative(SOURCE, file).replace(/\.ts$/, '').replaceAll(/[\\/]/g, '-')
}

function stubsOf(name: string, functions: readonly string[]): string {
  return [
    'let part',
    `const load = () => (part ??= process.getBuiltinModule('node:module').createRequire(import.meta.url)('${PLACE}/${name}.js'))`,
    ...functions.map((one) => `export function ${one}(...given) {\n\treturn load().${one}(...given)\n}`),
  ].join('\n')
}

/** Anything else would have to be there before it is called. */
function functionsIn(file: string, code: string): string[] {
  const exported = parseAst(code, { lang: 'ts' }).body.filter(({ type }) => type.startsWith('Export'))
  return exported.flatMap((node) => {
    if (node.type === 'ExportNamedDeclaration' && node.exportKind === 'type') return []
    const declared = node.type === 'ExportNamedDeclaration' ? node.declaration : null
    if (declared?.type === 'FunctionDeclaration') return [declared.id?.name ?? '']
    if (declared?.type === 'VariableDeclaration' && declared.declarations.every(isFunction))
      return declared.declarations.map(({ id }) => ('name' in id ? id.name : ''))
    if (declared?.type.startsWith('TS') === true) return []
    throw new Error(`${file} is loaded late, and exports what is no function`)
  })
}

function isFunction({ init }: { readonly init: { readonly type: string } | null }): boolean {
  return init?.type === 'ArrowFunctionExpression'
}
