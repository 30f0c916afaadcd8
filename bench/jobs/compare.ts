// Two states of the source against each other, in turns: what slows down the machine slows down both.
//
//   node bench/jobs/compare.ts ../before . [rounds] [jobs] [workloads]
import { execFileSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { median } from '../harness.ts'

const [
  ,
  ,
  before = '',
  after = '',
  rounds = '3',
  jobs = '20000',
  names = 'alone,crowd,bulk,drain,both,steps',
] = process.argv

type Speed = readonly [perSecond: number, cpuMicros: number]

function measure(source: string, name: string): Speed {
  const script = join(import.meta.dirname, 'measure.ts')
  const args = ['--conditions=waybill-source', script, resolve(source), name, jobs]
  const said = execFileSync(process.execPath, args, { encoding: 'utf8' })
  return said.trim().split(' ').map(Number) as unknown as Speed
}

for (const name of names.split(',')) {
  const said = { before: [] as Speed[], after: [] as Speed[] }
  for (let round = 0; round < Number(rounds); round++) {
    const turns = round % 2 === 0 ? (['before', 'after'] as const) : (['after', 'before'] as const)
    for (const turn of turns) said[turn].push(measure(turn === 'before' ? before : after, name))
  }
  for (const [nth, what] of ['/s', 'µs of CPU'].entries()) {
    const values = (speeds: readonly Speed[]) => speeds.map((speed) => speed[nth] as number)
    const ratios = values(said.after).map((value, round) => value / (values(said.before)[round] as number))
    console.log(
      `${name.padEnd(6)} ${median(values(said.before))} → ${median(values(said.after))} ${what}  ×${median(ratios).toFixed(2)}  [${values(said.before).join(' ')}] [${values(said.after).join(' ')}]`,
    )
  }
}
