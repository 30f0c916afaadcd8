import { openLedger } from 'waybill'
import fs from 'node:fs'
const folder = process.argv[2] ?? './perf-ledger.tmp'
fs.rmSync(folder,{recursive:true,force:true})
const states=['fetching','fetched','parsing','parsed','validating','validated','ir_building','ir_ready','embedding','indexed','completed'] as const
for (const callers of [1,100,1000]) {
  for (let round=0; round<3; round++){
  const ledger = await openLedger(folder, {journal:{snapshotSchedule:null, snapshotAfterBytes: 1e12}})
  const per = callers===1? 2000: Math.floor(300000/callers)
  let n=0
  const t=performance.now()
  await Promise.all(Array.from({length:callers}, async (_,c)=>{
    let doc=0, s=0
    for(let i=0;i<per;i++){ await ledger.documents.updateState(`doc:${round}:${callers}:${c}:${doc}`, states[s]!, {adapter:'pubmed'}); n++; if(++s===states.length){s=0;doc++} }
  }))
  const ms=performance.now()-t
  console.log(callers,'callers', Math.round(n/ms*1000),'/s', (ms*1000/n).toFixed(2),'us', callers===1? '':'' )
  await ledger.close()
  }
}
fs.rmSync(folder,{recursive:true,force:true})
