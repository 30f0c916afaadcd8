import { nodeDisk } from '../src/world/node-disk.ts'
import { writeSnapshot } from '../src/store/journal/snapshot/write-snapshot.ts'
import { Snapshot } from '../src/store/journal/snapshot/snapshot.ts'
import { sampleFacts } from '../src/store/journal/snapshot/sample-records.ts'
const dir='scratch/data'; await nodeDisk.makeFolder(dir)
const N=Number(process.argv[2]??1e6)
let seed=42; const rnd=()=>{ seed=(Math.imul(seed,1664525)+1013904223)>>>0; return seed/2**32 }
const id=(i:number)=>'doc:'+String(i).padStart(9,'0')
const doc=(i:number,t=1735787045)=>({kind:'document',tenant_id:'default',doc_id:id(i),state:i%9===0?'failed':'completed',updated_at:t+(i*7919%1000003)/1000,adapter:['pubmed','arxiv','clinicaltrials'][i%3],metadata:{},retry_count:0,max_retries:3,error_type:null,error_message:null,etag:String(i)}) as any
function* docs(n:number,open:boolean,from=0){ for(let i=from;i<from+n;i++) yield {tenant_id:'default',id:id(i),value:doc(i),open} }
const time=async<T>(name:string,f:()=>Promise<T>)=>{ const t=performance.now(); const c=process.cpuUsage(); const r=await f(); const u=process.cpuUsage(c); console.log(name.padEnd(44),(performance.now()-t).toFixed(1).padStart(9),'ms wall',((u.user+u.system)/1e3).toFixed(0).padStart(7),'ms cpu'); return r }
const path=(n:string)=>`${dir}/${n}.json.gz`
const what=process.argv[3]??'all'
const facts=(document_count:number)=>sampleFacts({document_count})
if(what==='all'||what==='write'){ const w=await time(`write ${N} settled`,()=>writeSnapshot({disk:nodeDisk,path:path('base'+N),base:null,facts:facts(N),records:{states:docs(N,false)}})); console.log('bytes/record',w.bytes/N, 'rss MB', process.memoryUsage().rss/1e6|0) }
if(what==='all'||what==='read'){
 for(let i=0;i<3;i++) { const s=await time('open',()=>Snapshot.open(nodeDisk,path('base'+N))); await s!.close() }
 const s=(await Snapshot.open(nodeDisk,path('base'+N)))!
 for(const pass of ['cold pages','warm']) { const ts:number[]=[]; for(let i=0;i<5000;i++){ const k=Math.floor(rnd()*N); const t=performance.now(); const v=await s.get('states','default',id(k)); ts.push(performance.now()-t); if(v?.etag!==String(k)) throw 1 } ts.sort((a,b)=>a-b); console.log('get',pass,'p50',ts[2500].toFixed(3),'p99',ts[4950].toFixed(3),'max',ts[4999].toFixed(2),'blocks read',s.blocksRead) }
 let und=0,abs=0; const b0=s.blocksRead; let t=performance.now(); for(let i=0;i<100000;i++){ const k=Math.floor(rnd()*N); const a=s.surelyAbsent('states','default',id(k)+'x'); if(a===undefined) und++; if(a) abs++ } console.log('surelyAbsent us',((performance.now()-t)/100).toFixed(3),'undefined',und,'absent',abs/1000+'%')
 await time('find id 100',()=>s.find('document',{},'id',{after:null,size:100,shadowed:()=>false}))
 await time('find changed desc 100',()=>s.find('document',{direction:'desc'},'changed',{after:null,size:100,shadowed:()=>false}))
 await time('find changed desc failed 100',()=>s.find('document',{direction:'desc',where:{state:'failed'}},'changed',{after:null,size:100,shadowed:()=>false}))
 let br=s.blocksRead
 await time('find changed desc arxiv 100',()=>s.find('document',{direction:'desc',where:{adapter:'arxiv'}},'changed',{after:null,size:100,shadowed:()=>false})); console.log(s.blocksRead-br); br=s.blocksRead
 await time('find changed, a doc_id',()=>s.find('document',{where:{doc_id:id(77)}},'changed',{after:null,size:100,shadowed:()=>false})); console.log(s.blocksRead-br); br=s.blocksRead
 await time('find id, a doc_id',()=>s.find('document',{where:{doc_id:id(77)}},'id',{after:null,size:100,shadowed:()=>false})); console.log(s.blocksRead-br); br=s.blocksRead
 await time('find id, time range nothing else',()=>s.find('document',{changedFrom:1735787045000,changedBefore:1735787046000},'id',{after:null,size:1000,shadowed:()=>false})); console.log(s.blocksRead-br); br=s.blocksRead
 await time('verify',()=>s.verify()); await s.close()
}
if(what==='all'||what==='compact'){
 const s=(await Snapshot.open(nodeDisk,path('base'+N)))!
 const scattered=Array.from(new Set(Array.from({length:1000},()=>Math.floor(rnd()*N)))).map(i=>({tenant_id:'default',id:id(i),value:doc(i,1745787045),open:false}))
 await time('compact, 1000 scattered changes',()=>writeSnapshot({disk:nodeDisk,path:path('c1'),base:s,facts:facts(N),records:{states:scattered}}))
 await time('compact, 1000 appended',()=>writeSnapshot({disk:nodeDisk,path:path('c2'),base:s,facts:facts(N+1000),records:{states:[...docs(1000,false,N)].map(x=>({...x,value:{...x.value,updated_at:1745787045}}))}}))
 await time('compact, nothing',()=>writeSnapshot({disk:nodeDisk,path:path('c3'),base:s,facts:facts(N),records:{}}))
 console.log('rss MB', process.memoryUsage().rss/1e6|0)
 await s.close()
}
if(what==='all'||what==='open'){
 await time(`write ${N} open`,()=>writeSnapshot({disk:nodeDisk,path:path('open'),base:null,facts:facts(N),records:{states:docs(N,true)}}))
}
if(what==='all'||what==='open'||what==='openread'){
 for(let i=0;i<3;i++){ globalThis.gc?.(); const s=(await Snapshot.open(nodeDisk,path('open')))!; const kept:any[]=[]; await time(`openRecords ${N}`,async()=>{ for await(const batch of s.openRecords('states')) for(const r of batch) kept.push(r.value) }); if(kept.length!==N) throw 1; await s.close() }
}
