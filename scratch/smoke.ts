import { gunzipSync } from 'node:zlib'
import { MemoryDisk } from '../src/testing/memory-disk.ts'
import { writeSnapshot } from '../src/store/journal/snapshot/write-snapshot.ts'
import { Snapshot } from '../src/store/journal/snapshot/snapshot.ts'
import * as s from '../src/store/journal/snapshot/sample-records.ts'
const disk=new MemoryDisk(); await disk.makeFolder('/l')
const g=new s.GivenRecords().put(false,...Array.from({length:1000},(_,i)=>s.sampleDocument({doc_id:'d'+i,updated_at:1000+i})),s.sampleJob(),s.sampleStep(),s.sampleOutbox(),s.sampleRun(),s.sampleWorkstream()).put(true,s.sampleDocument({doc_id:'open',tenant_id:'t'})).claim('default','k','o').refusals('x','job/1',3)
console.log(await writeSnapshot({disk,path:'/l/s.gz',base:null,facts:s.sampleFacts({document_count:1001}),records:g.tables,onProgress:p=>console.log(p)}))
const f=await disk.openToRead('/l/s.gz'); const b=await f!.read(0,1e9); const text=gunzipSync(b).toString(); const j=JSON.parse(text); console.log(Object.keys(j), Object.keys(j.states).length, text.slice(0,300)); console.log(text.slice(-1500))
const snap=(await Snapshot.open(disk,'/l/s.gz'))!
console.log(await snap.get('states','default','d77'), await snap.get('claims','default','k'), await snap.get('refusals','x','job/1'), snap.surelyAbsent('states','default','d77'), snap.surelyAbsent('states','default','d777777'), snap.blocksRead)
for await (const r of snap.openRecords('states')) console.log(r)
console.log(await snap.verify(), await disk.list('/l'))
console.log((await snap.find('document',{direction:'desc'},'changed',{after:null,size:3,shadowed:()=>false})).map(x=>x.doc_id))
