import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { LONG, SUITES } from './scripts/suites.ts'

// `import 'waybill'` means the source, here and in whatever Node loads by itself. The others are Vite's own.
const conditions = ['waybill-source', 'module', 'node', 'development|production']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // One less would be one of the two that a small machine has.
    maxWorkers: availableParallelism(),
    // Files share what they import: to load all of it again for each of them takes longer than most tests do.
    isolate: false,
    coverage: {
      provider: 'v8',
      reportsDirectory: '.reports/coverage',
      include: ['src/core/**/*.ts'],
      exclude: ['**/*.test.ts'],
      reporter: [['text', { skipFull: true }]],
      // The rules decide what happens to people's work: every branch of them is tested.
      thresholds: { 'src/core/**': { 100: true } },
    },
    projects: [...SUITES, LONG].flatMap(
      ({
        name,
        include,
        exclude = [],
        testTimeoutMs = 30_000,
        oneAtATime = false,
        env = {},
        globalSetup,
        setupFile,
      }) =>
        include === undefined
          ? []
          : {
              extends: true,
              test: {
                name,
                include,
                exclude,
                env,
                // Processes that tests start run what is built.
                globalSetup: ['test/built-package.ts', ...(globalSetup === undefined ? [] : [globalSetup])],
                setupFiles: setupFile === undefined ? [] : [setupFile],
                execArgv: ['--conditions=waybill-source'],
                testTimeout: testTimeoutMs,
                hookTimeout: testTimeoutMs,
                fileParallelism: !oneAtATime,
              },
            },
    ),
  },
})
