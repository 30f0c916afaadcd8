import { describe, expect, it } from 'vitest'
import { FakeAccount } from '../../../test/azure-tables/fake-account.ts'
import { type FakeOptions, FakeTableService } from '../../../test/azure-tables/fake-table-service.ts'
import { GroupedWrites } from './grouped-writes.ts'
import { JOBS, STEPS } from './table-names.ts'

async function serviceWith(options: FakeOptions = {}) {
  const fake = new FakeTableService(new FakeAccount(), options)
  await fake.createTables([JOBS, STEPS])
  const before = fake.requests
  return { service: new GroupedWrites(fake), sent: () => fake.requests - before }
}

const insert = (rk: string) => ({ verb: 'insert', rk, columns: { n: 1 } }) as const

describe('writes to one partition', () => {
  it('are made at once while another is under way', async () => {
    const { service, sent } = await serviceWith()
    const ids = Array.from({ length: 250 }, (_, n) => `job-${n}`)
    const answers = await Promise.all(ids.map((id) => service.write(JOBS, 'p', [insert(id)])))
    expect(sent()).toBe(4)
    for (const [n, answer] of answers.entries()) {
      const row = await service.get(JOBS, 'p', `job-${n}`)
      expect(answer).toEqual({ ok: true, etags: [row?.etag] })
    }
  })

  it('are answered by themselves: who is refused does not keep the others', async () => {
    const { service } = await serviceWith()
    await service.write(JOBS, 'p', [insert('b')])
    const answers = await Promise.all([
      service.write(JOBS, 'p', [insert('first')]),
      service.write(JOBS, 'p', [insert('a'), insert('b')]),
      service.write(JOBS, 'p', [insert('c')]),
      service.write(JOBS, 'p', [insert('c')]),
      service.write(JOBS, 'p', [{ verb: 'delete', rk: 'b' }]),
    ])
    expect(answers).toMatchObject([
      { ok: true },
      { ok: false, at: 1, why: 'exists', unsure: false },
      { ok: true },
      { ok: false, at: 0, why: 'exists', unsure: false },
      { ok: true },
    ])
    expect(await service.get(JOBS, 'p', 'a')).toBeNull()
  })

  // The answer to a group is lost, and the second try finds the first of it there. All of it is.
  it('are all unsure when the answer to one of them was lost', async () => {
    let isLost = false
    const { service } = await serviceWith({
      after: ({ rows }) => {
        if (rows < 3 || isLost) return undefined
        isLost = true
        return 'lost'
      },
    })
    const answers = await Promise.all(
      ['first', 'a', 'b', 'c'].map((rk) => service.write(JOBS, 'p', [insert(rk)])),
    )
    expect(answers.slice(1)).toMatchObject(
      Array.from({ length: 3 }, () => ({ ok: false, why: 'exists', unsure: true })),
    )
  })

  it('tell everybody when the service cannot be reached', async () => {
    const { service } = await serviceWith({
      before: ({ rows }) => {
        if (rows > 0) throw new Error('no route')
      },
    })
    const asking = ['a', 'b', 'c'].map((rk) => service.write(JOBS, 'p', [insert(rk)]))
    expect(await Promise.allSettled(asking)).toMatchObject(asking.map(() => ({ status: 'rejected' })))
  })

  it('of a job are its own: nobody waits for somebody else’s', async () => {
    const { service, sent } = await serviceWith()
    await Promise.all(['a', 'b', 'c'].map((rk) => service.write(STEPS, 'p', [insert(rk)])))
    expect(sent()).toBe(3)
  })
})
