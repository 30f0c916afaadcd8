// Mistakes in what is kept, and for how long.
import { change, type SlotChange } from '../../../src/core/decision.ts'
import type { DiskFile } from '../../../src/world/disk.ts'
import type { Fault } from './fault.ts'
import { misled, spoilt, unclaimed } from './meddling.ts'

export const IN_THE_STORE: readonly Fault[] = [
  {
    name: 'a sync that failed is tried again, and taken for good',
    caughtBy: /was acknowledged|is not in the store| and not /,
    engine: 'journal',
    plant: () => ({
      disk: (sound) => ({
        ...sound,
        open: async (path) => {
          const file = await sound.open(path)
          return { ...file, writeThrough: (position, bytes) => stubborn(file, position, bytes) }
        },
      }),
    }),
  },
  {
    name: 'claims are lost in a crash',
    // Those of what never became durable are kept too long: they answer with jobs that are not there.
    caughtBy: /made job .* and then job .* as well|was accepted, and is not there/,
    plant: () => {
      let claims = new Map<string, string>()
      return {
        store: (sound) => {
          claims = new Map()
          return misled(
            () => ({ ownerOf: ({ tenant_id, key }) => claims.get(`${tenant_id} ${key}`) }),
            (made, given) => {
              for (const { tenant_id, key, owner } of made.claims) claims.set(`${tenant_id} ${key}`, owner)
              return unclaimed(made, given)
            },
          )(sound)
        },
      }
    },
  },
  {
    name: 'starts within a while are forgotten when the ledger is opened again',
    caughtBy: /attempts within/,
    plant: () => {
      const taken: SlotChange[] = []
      return {
        store: (sound) => {
          const slots = taken.splice(0).map((slot) => ({ ...slot, verb: 'release' }) as SlotChange)
          sound.transact([], () => change(null, { slots })).catch(() => {})
          return spoilt((made) => {
            taken.push(...made.slots.filter((slot) => slot.verb === 'take' && slot.until !== undefined))
            return {}
          })(sound)
        },
      }
    },
  },
  {
    name: 'whoever waits for another job is not told of its end',
    caughtBy: /has not ended|nobody advances/,
    plant: () => ({ store: spoilt(() => ({ signals: [] })) }),
  },
  {
    name: 'a file with an output is not synced',
    caughtBy: /cannot be read/,
    engine: 'journal',
    plant: () => ({
      disk: (sound) => ({
        ...sound,
        open: async (path) => {
          const file = await sound.open(path)
          return path.startsWith('/outputs/') ? { ...file, sync: async () => {} } : file
        },
      }),
    }),
  },
]

/** Nobody knows what became of the bytes that a failed sync was to write; the next one says that all is well. */
async function stubborn(file: DiskFile, position: number, bytes: Uint8Array): Promise<void> {
  try {
    await file.writeThrough(position, bytes)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EIO') throw error
    await file.sync()
  }
}
