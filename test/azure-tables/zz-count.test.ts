import { it } from 'vitest'
import { openOn } from '/work/main/src/store/azure-tables/opening.ts'
import { FakeAccount } from '/work/main/test/azure-tables/fake-account.ts'
import { FakeTableService } from '/work/main/test/azure-tables/fake-table-service.ts'
import { virtualWorld } from '/work/main/src/testing/virtual-world.ts'
import { systemTimers } from '/work/main/src/world/timers.ts'
import { submitJob, report, SUCCESS, onJob, recordSent, ack, moveDocument, TENANT } from '/work/main/src/testing/conformance/commands.ts'
import { PULLED, PUSHED } from '/work/main/src/testing/conformance/protocols.ts'
import { claim, takeDirectives } from '/work/main/src/testing/conformance/work.ts'
import { decide, keyOf } from '/work/main/src/core/command.ts'
const one = (p:any)=>({...p, steps:[p.steps[0]]})
it('counts', async () => {
  const world = { ...virtualWorld(), timers: systemTimers }
  const account = new FakeAccount()
  let log: string[] = []
  const svc = new FakeTableService(account, { before: (r:any) => { log.push(`${r.verb} ${r.table}${r.verb==='write'?' '+r.rows+' ['+(r.writes??[]).map((w:any)=>w.verb+':'+w.rk.slice(0,30)).join(' ')+']':''}`) } })
  const store = await openOn(svc, world)
  const act = async (c: any) => { const o = await store.transact([keyOf(c)], (g:any)=>decide(c,g)); if(!o.ok) throw new Error(JSON.stringify(o)); return o.answer as any }
  await act(submitJob('warm', {protocol: one(PULLED)})); await claim(store,{queues:['read']})
  const step = async (name: string, f: ()=>Promise<any>) => { log=[]; const r = await f(); await new Promise(r=>setTimeout(r,30)); console.log(name, log.length, '\n   '+log.join('\n   ')); total+=log.length; return r }
  let total = 0
  await step('submit', ()=>act({...submitJob('j',{protocol: one(PULLED)})}))
  const [w] = await step('claim', ()=>claim(store,{queues:['read']}))
  await step('result', ()=>act(report(w.step, SUCCESS)))
  console.log('PULLED total', total); total=0
  await step('submit', ()=>act({...submitJob('p',{protocol: one(PUSHED)})}))
  const [row] = await step('take', ()=>takeDirectives(store,{queues:['push:ocr']}))
  await step('sent', ()=>act(recordSent('p', row.outbox_id)))
  const agg: any = await store.load({kind:'job',tenant_id:TENANT,id:'p'})
  await step('ack', ()=>act(ack(agg.steps[0])))
  await step('result', ()=>act(report(agg.steps[0], SUCCESS)))
  console.log('PUSHED total', total); total=0
  await step('doc', ()=>act(moveDocument('d','fetching')))
  await step('doc', ()=>act(moveDocument('d','fetched')))
  await store.close()
})
