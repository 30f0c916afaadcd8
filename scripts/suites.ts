// The test suites, in the order `npm test` begins them, and how long all of them may take.

export type Suite = {
  name: string
  /** Test files of a vitest project; a suite without them is the npm script of its name. */
  include?: string[]
  exclude?: string[]
  coverage?: boolean
  testTimeoutMs?: number
  /** Variables that its tests find in the environment. */
  env?: { readonly [name: string]: string }
  /** Whose `setup` runs once before its tests, and `teardown` after them. */
  globalSetup?: string
  /** Loaded before each of its files. */
  setupFile?: string
  /** For tests that measure: side by side they would only measure each other. */
  oneAtATime?: boolean
}

export const BUDGET_MS = 10 * 60_000

/** The rules: what these tests do not reach, no rule is. */
const CORE = 'src/core/**/*.test.ts'

/** Suites of the ledger that hold on every engine: part of `unit` in memory, and again where there is a database. */
const ON_EVERY_ENGINE = [
  'documents',
  'jobs',
  'ledger',
  'steering',
  'queue-load',
  'update-many',
  'protocols',
  'runs',
  'state-manager',
  'retention',
  'looks',
  'views',
].map((name) => `src/ledger/${name}.test.ts`)

const LEDGER_TURNS = 'test/fixtures/ledger-turns.ts'

/** Long ones first, so that none is left over in the end; but `e2e` replaces the site of `dist/`, which the first one packs, and comes after it. */
export const SUITES: readonly Suite[] = [
  { name: 'check' },
  {
    name: 'azure-tables',
    include: ['test/azure-tables/**/*.test.ts', ...ON_EVERY_ENGINE],
    env: { WAYBILL_TEST_ENGINE: 'azure-tables' },
    globalSetup: 'test/azure-tables/shared-azurite.ts',
    setupFile: LEDGER_TURNS,
    testTimeoutMs: 60_000,
  },
  {
    name: 'unit',
    include: ['src/**/*.test.ts', 'scripts/**/*.test.ts', 'ui/**/*.test.ts'],
    exclude: [CORE],
  },
  {
    name: 'e2e',
    include: ['test/e2e/**/*.test.ts'],
    globalSetup: 'test/e2e/built-types.ts',
    testTimeoutMs: 120_000,
  },
  {
    name: 'page',
    include: ['test/page/**/*.test.ts'],
    globalSetup: 'test/page/shared-browser.ts',
    testTimeoutMs: 60_000,
  },
  {
    name: 'postgres',
    include: ['test/postgres/**/*.test.ts', ...ON_EVERY_ENGINE],
    env: { WAYBILL_TEST_ENGINE: 'postgres' },
    globalSetup: 'test/postgres/shared-server.ts',
    setupFile: LEDGER_TURNS,
    testTimeoutMs: 60_000,
  },
  { name: 'conformance', include: ['test/conformance/**/*.test.ts'] },
  {
    name: 'crash',
    include: ['test/crash/**/*.test.ts', 'test/compat/**/*.test.ts', 'test/journal/**/*.test.ts'],
    testTimeoutMs: 120_000,
  },
  {
    name: 'tools',
    include: ['test/tools/**/*.test.ts'],
    testTimeoutMs: 60_000,
  },
  {
    name: 'simulation',
    include: ['test/simulation/**/*.test.ts'],
    testTimeoutMs: 120_000,
  },
  {
    name: 'http',
    include: ['test/http/**/*.test.ts'],
    testTimeoutMs: 60_000,
  },
  {
    name: 'explorer',
    include: ['test/explorer/**/*.test.ts'],
    testTimeoutMs: 120_000,
  },
  { name: 'core', include: [CORE], coverage: true },
  {
    name: 'legacy',
    include: ['test/legacy/**/*.test.ts'],
    testTimeoutMs: 120_000,
  },
  {
    name: 'sqlite',
    include: ['test/sqlite/**/*.test.ts', ...ON_EVERY_ENGINE],
    env: { WAYBILL_TEST_ENGINE: 'sqlite' },
    testTimeoutMs: 60_000,
  },
  {
    name: 'import',
    include: ['test/import/**/*.test.ts'],
    globalSetup: 'test/postgres/shared-server.ts',
    testTimeoutMs: 60_000,
  },
  {
    name: 'services',
    include: ['test/services/**/*.test.ts'],
    testTimeoutMs: 60_000,
  },
  {
    name: 'tables',
    include: ['worker', 'dispatcher', 'timekeeper', 'found-result-lost'].map(
      (name) => `src/runtime/${name}.test.ts`,
    ),
    env: { WAYBILL_TEST_ENGINE: 'tables' },
  },
]

/** Takes minutes, and is not part of `npm test`: `npm run test:long`. */
export const LONG: Suite = {
  name: 'long',
  include: ['test/long/**/*.test.ts'],
  testTimeoutMs: 30 * 60_000,
  oneAtATime: true,
}
