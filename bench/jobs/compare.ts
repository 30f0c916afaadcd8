// Two states of the source against each other, in turns: what slows down the machine slows down both.
//
//   node bench/jobs/compare.ts /work/main . [rounds] [jobs] [workloads]
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
  names = 'lone,crowd,batch,drain,both,steps',
] = process.argv

function measure(source: string, name: string): number {
  const script = join(import.meta.dirname, 'measure.ts')
  const args = ['--conditions=waybill-source', script, resolve(source), name, jobs]
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8' }))
}

for (const name of names.split(',')) {
  const said = { before: [] as number[], after: [] as number[] }
  for (let round = 0; round < Number(rounds); round++) {
    const turns = round % 2 === 0 ? (['before', 'after'] as const) : (['after', 'before'] as const)
    for (const turn of turns) said[turn].push(measure(turn === 'before' ? before : after, name))
  }
  const ratio = median(said.after.map((value, round) => value / (said.before[round] as number)))
  console.log(
    `${name.padEnd(8)} ${String(median(said.before)).padStart(8)} → ${String(median(said.after)).padStart(8)} /s   ×${ratio.toFixed(2)}   [${said.before.join(' ')}] [${said.after.join(' ')}]`,
  )
}
