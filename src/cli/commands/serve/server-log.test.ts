import { expect, it } from 'vitest'
import { Notes } from '../../output/notes.ts'
import { TextStream } from '../../output/text-stream.ts'
import { Session } from '../../session.ts'
import { serverLog } from './server-log.ts'

const stream = new TextStream(process.stderr, { color: false })
const session = new Session({ ledger: './ledger' }, stream, new Notes(stream, { json: false, quiet: false }))

const SECRET = 'hunter2-hunter2-hunter2'

async function logged(say: (log: Awaited<ReturnType<typeof serverLog>>) => void): Promise<readonly string[]> {
  const lines: string[] = []
  say(await serverLog(session, 'info', { write: (line) => lines.push(line) }))
  return lines
}

it('writes lines of JSON: a time, the level by its name, the message, and the fields', async () => {
  const [line = '', ...more] = await logged((log) => log.warn({ status: 401 }, 'Nobody is known'))
  expect(JSON.parse(line)).toMatchObject({
    level: 'warn',
    time: expect.stringMatching(/^\d{4}-.*Z$/),
    msg: 'Nobody is known',
    status: 401,
    pid: process.pid,
  })
  expect(line.endsWith('\n')).toBe(true)
  expect(more).toEqual([])
})

it('keeps to its level', async () => {
  expect(await logged((log) => log.debug({}, 'not now'))).toEqual([])
})

const failed = Object.assign(new Error(`connect postgres://ann:${SECRET}@db`), { code: 'EFAILED' })

it.each([
  ['a header', { headers: { authorization: `Bearer ${SECRET}` } }, ''],
  ['a cookie', { cookie: `waybill_session=${SECRET}` }, ''],
  ['a cookie that is set', { reply: { headers: { 'set-cookie': SECRET } } }, ''],
  ['a token', { request: { token: SECRET } }, ''],
  ['the message', {}, `Authorization: Bearer ${SECRET}`],
  ['an address', { url: `http://127.0.0.1/x?token=${SECRET}` }, ''],
  ['an error', { err: failed }, ''],
  ['an error by another name', { error: failed }, ''],
  ['its cause', { err: new Error('It failed', { cause: failed }) }, ''],
  ['a list', { tried: [{ password: SECRET }] }, ''],
])('has no secret that is in %s', async (_, fields, message) => {
  const [line = ''] = await logged((log) => log.error(fields, message))
  expect(line).toContain('[redacted]')
  expect(line).not.toContain(SECRET)
})

it('says of an error what it is, with its code and where it comes from', async () => {
  const [line = ''] = await logged((log) => log.error({ err: failed }, 'It failed'))
  expect(JSON.parse(line).err).toEqual({
    type: 'Error',
    message: 'connect postgres://ann:[redacted]@db',
    code: 'EFAILED',
    stack: expect.stringContaining('server-log.test.ts'),
  })
})

it('is not upset by what has no end', async () => {
  const round: { self?: object; many: number[] } = { many: Array.from({ length: 1000 }, (__, n) => n) }
  round.self = round
  const [line = ''] = await logged((log) => log.info({ round }, 'round and round'))
  expect(line.length).toBeLessThan(5000)
})
