import { z } from 'zod'
import { NotFound } from '../../errors/refusal-errors.ts'
import { JobStateStore } from '../../orchestrator/job-state-store.ts'
import { filesLike } from '../../orchestrator/touched-files.ts'
import { fileChangeSchema, touchedFileSchema } from '../openapi/records/file-schemas.ts'
import { listSchema } from '../openapi/records/list-schemas.ts'
import { tenantQuery, wholeNumber } from '../request/query.ts'
import { NOT_THERE, ok, type Route, route } from '../route.ts'

const DEFAULT_LIMIT = 100
const MOST_ITEMS = 1000

const LONGEST = 4096
const path = z.string().min(1).max(LONGEST)

export const fileRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/files',
    operation: 'listFiles',
    summary: 'The files that tool jobs have touched, each with the job that changed it last',
    about: 'It is told from what jobs noted when they ran: changes that people made are not in it.',
    needs: 'read',
    acrossTenants: true,
    query: z.strictObject({
      ...tenantQuery,
      q: z
        .string()
        .max(LONGEST)
        .optional()
        .describe('Only files that have this text in their name, in capitals or not'),
      limit: wholeNumber(1, MOST_ITEMS)
        .optional()
        .describe(`Most files that are told; ${DEFAULT_LIMIT} unless given`),
    }),
    answers: { 200: { about: 'Those that were changed last first', schema: listSchema(touchedFileSchema) } },
    async handle({ server: { looks }, tenant_id, query: { q, limit = DEFAULT_LIMIT } }) {
      return ok(filesLike(await looks.files(tenant_id), { q, limit }))
    },
  }),
  route({
    method: 'GET',
    path: '/v1/files/last',
    operation: 'getLastChange',
    summary: 'Which job last changed a file, which one committed that, and did the tests pass',
    needs: 'read',
    query: z.strictObject({
      ...tenantQuery,
      file: path.describe('As git names it: `src/a.ts`'),
      repo_root: path
        .optional()
        .describe('The repository, as jobs have it in `paths.repo_root`; any unless given'),
    }),
    answers: { 200: { about: 'The change', schema: fileChangeSchema }, ...NOT_THERE },
    async handle({ server: { ledger }, tenant_id, query: { file, repo_root } }) {
      const change = await new JobStateStore(ledger).lastChange(file, { tenant_id, repo_root })
      if (change === null) throw nobodyChanged(file)
      return ok(change)
    },
  }),
]

function nobodyChanged(file: string): NotFound {
  return new NotFound({
    code: 'NOT_FOUND',
    field: 'file',
    message: `No job is known to have changed ${JSON.stringify(file)}`,
    next: 'Give it as git does, from the root of its repository, and check the tenant.',
    details: { file },
  })
}
