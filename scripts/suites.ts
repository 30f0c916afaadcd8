// The test suites, in the order `npm test` runs them, and how long each group of them may take.

export type Suite = {
  name: string
  group: Group
  /** Test files of a vitest project; a suite without them is the npm script of its name. */
  include?: string[]
  coverage?: boolean
  testTimeoutMs?: number
  /** Variables that its tests find in the environment. */
  env?: { readonly [name: string]: string }
  /** Whose `setup` runs once before its tests, and `teardown` after them. */
  globalSetup?: string
  /** For tests that measure: side by side they would only measure each other. */
  oneAtATime?: boolean
}

export const GROUP_BUDGET_MS = {
  'unit and conformance': 3.5 * 60_000,
  'crash and simulation': 3.5 * 60_000,
  'real servers': 6 * 60_000,
} as const

export type Group = keyof typeof GROUP_BUDGET_MS

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

export const SUITES: readonly Suite[] = [
  { name: 'check', group: 'unit and conformance' },
  {
    name: 'unit',
    group: 'unit and conformance',
    include: ['src/**/*.test.ts', 'scripts/**/*.test.ts', 'ui/**/*.test.ts'],
    coverage: true,
  },
  { name: 'conformance', group: 'unit and conformance', include: ['test/conformance/**/*.test.ts'] },
  {
    name: 'tables',
    group: 'unit and conformance',
    include: ['worker', 'dispatcher', 'timekeeper', 'found-result-lost'].map(
      (name) => `src/runtime/${name}.test.ts`,
    ),
    env: { WAYBILL_TEST_ENGINE: 'tables' },
  },
  {
    name: 'legacy',
    group: 'unit and conformance',
    include: ['test/legacy/**/*.test.ts'],
    testTimeoutMs: 120_000,
  },
  {
    name: 'explorer',
    group: 'crash and simulation',
    include: ['test/explorer/**/*.test.ts'],
    testTimeoutMs: 120_000,
  },
  {
    name: 'crash',
    group: 'crash and simulation',
    include: ['test/crash/**/*.test.ts', 'test/compat/**/*.test.ts', 'test/journal/**/*.test.ts'],
    testTimeoutMs: 120_000,
  },
  {
    name: 'services',
    group: 'real servers',
    include: ['test/services/**/*.test.ts'],
    testTimeoutMs: 60_000,
  },
  {
    name: 'http',
    group: 'real servers',
    include: ['test/http/**/*.test.ts'],
    testTimeoutMs: 60_000,
  },
  {
    name: 'tools',
    group: 'real servers',
    include: ['test/tools/**/*.test.ts'],
    testTimeoutMs: 60_000,
  },
  {
    name: 'postgres',
    group: 'real servers',
    include: ['test/postgres/**/*.test.ts', ...ON_EVERY_ENGINE],
    env: { WAYBILL_TEST_ENGINE: 'postgres' },
    globalSetup: 'test/postgres/shared-server.ts',
    testTimeoutMs: 60_000,
  },
  {
    name: 'sqlite',
    group: 'real servers',
    include: ['test/sqlite/**/*.test.ts', ...ON_EVERY_ENGINE],
    env: { WAYBILL_TEST_ENGINE: 'sqlite' },
    testTimeoutMs: 60_000,
  },
  {
    name: 'azure-tables',
    group: 'real servers',
    include: ['test/azure-tables/**/*.test.ts', ...ON_EVERY_ENGINE],
    env: { WAYBILL_TEST_ENGINE: 'azure-tables' },
    globalSetup: 'test/azure-tables/shared-azurite.ts',
    testTimeoutMs: 60_000,
  },
  {
    name: 'simulation',
    group: 'crash and simulation',
    include: ['test/simulation/**/*.test.ts'],
    testTimeoutMs: 120_000,
  },
  {
    name: 'page',
    group: 'real servers',
    include: ['test/page/**/*.test.ts'],
    globalSetup: 'test/page/shared-browser.ts',
    testTimeoutMs: 60_000,
  },
  {
    name: 'e2e',
    group: 'real servers',
    include: ['test/e2e/**/*.test.ts'],
    testTimeoutMs: 120_000,
  },
]

/** Takes minutes, and is not part of `npm test`: `npm run test:long`. */
export const LONG: Suite = {
  name: 'long',
  group: 'crash and simulation',
  include: ['test/long/**/*.test.ts'],
  testTimeoutMs: 30 * 60_000,
  oneAtATime: true,
}
