// What most tests of the server ask, in few words.
import { expect } from 'vitest'
import type { Answer, Asked } from './http-client.ts'
import { envelope, type HttpLedger, OURS, type TokenName } from './http-ledger.ts'

export type Asker = ReturnType<typeof askerOf>

export function askerOf(http: HttpLedger) {
  let made = 0

  const post = (
    path: string,
    body: unknown,
    asked: Asked = {},
    as: TokenName = 'operator',
  ): Promise<Answer> => http.as(as, 'POST', path, { ...asked, body })

  return {
    post,
    /** A request like no other, unless it is told to be. */
    submit: (more: object = {}, asked: Asked = {}, as: TokenName = 'operator') =>
      post('/v1/commands', envelope({ payload: { language_hint: `${made++}` }, ...more }), asked, as),
    job: async (job_id: string, tenant_id = OURS) =>
      (await http.as('viewer', 'GET', `/v1/jobs/${job_id}`, { query: { tenant_id } })).json,
    /** What the history says was refused. */
    refusals: async () => (await http.ledger.audit.query({ event: 'refused', limit: 1000 })).items,
    /** Asks, and makes sure that nothing at all comes of it. */
    async refused(ask: () => Promise<Answer>): Promise<Answer> {
      const before = await http.fingerprint()
      const answer = await ask()
      expect(await http.fingerprint()).toBe(before)
      return answer
    },
  }
}
