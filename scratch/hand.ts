import { gzipSync, gunzipSync } from 'node:zlib'
const N = 256, BLOCKS = 4000
const meta = process.argv[2]==='m' ? (i:number)=>`{"source":"x","n":${i}}` : ()=>'{}'
const enc = (i:number)=>`"doc:${String(i*7919%1e9).padStart(9,'0')}":{"state":"${i%3?'parsing':'downloaded'}","updated_at":${1735787045.678+i/1000},"adapter":"pubmed","metadata":${meta(i)},"etag":"${i}"}`
const zs:Buffer[]=[]
for(let b=0;b<BLOCKS;b++){const l=[];for(let i=0;i<N;i++)l.push(enc(b*N+i));zs.push(gzipSync(l.join(',\n'),{level:3}))}
const EMPTY=Object.freeze({})
const SCALE=[1,10,100,1000,1e4,1e5,1e6,1e7,1e8,1e9]
function viaHand(b:Buffer,wrap:boolean){ const s=b.latin1Slice(); const out:any[]=[]; let p=0; const n=s.length; let state='?',adapter='?'
 while(p<n){ let k=p+1; for(;;k++){const c=b[k]; if(c===34)break; if(c===92) throw 9}
   const id=b.latin1Slice(p+1,k); p=k+2
   if(!s.startsWith('{"state":"',p)) throw 1; p+=10
   if(!(s.startsWith(state,p)&&b[p+state.length]===34)){ const e=s.indexOf('"',p); state=s.slice(p,e)} p+=state.length
   if(!s.startsWith('","updated_at":',p)) throw 2; p+=15
   let num=0,dot=0,c=b[p]; const from=p
   for(;;c=b[++p]){ if(c>=48&&c<=57) num=num*10+(c-48); else if(c===46&&dot===0) dot=p; else break }
   if(c!==44) throw 8
   const updated_at = p-from>15 ? +s.slice(from,p) : dot===0?num:num/SCALE[p-dot-1]
   if(!s.startsWith(',"adapter":"',p)) throw 3; p+=12
   if(!(s.startsWith(adapter,p)&&b[p+adapter.length]===34)){ const e=s.indexOf('"',p); adapter=s.slice(p,e)} p+=adapter.length
   if(!s.startsWith('","metadata":',p)) throw 4; p+=13
   let metadata; if(s.startsWith('{},',p)){metadata=EMPTY;p+=2} else { let e=s.indexOf('\n',p); if(e===-1)e=n; const q=s.lastIndexOf(',"etag":',e); metadata=JSON.parse(s.slice(p,q)); p=q }
   if(!s.startsWith(',"etag":"',p)) throw 5; p+=9
   const e=s.indexOf('"',p); const etag=s.slice(p,e); p=e+4
   const value={kind:'document',tenant_id:'default',doc_id:id,state,updated_at,adapter,metadata,retry_count:0,max_retries:3,error_type:null,error_message:null,etag}
   out.push(wrap?{tenant_id:'default',id,value}:value) }
 return out }
const wrap=process.argv[3]==='w'
{const kept:any[]=[]; const map=new Map(); const t=performance.now(); let ti=0; for(const z of zs){ const t0=performance.now(); const b=gunzipSync(z,{chunkSize:z.readUInt32LE(z.length-4)+64}); ti+=performance.now()-t0; const r=viaHand(b,wrap); if(wrap) for(const x of r) kept.push(x.value); else for(const x of r) kept.push(x) } const d=performance.now()-t; 
const t2=performance.now(); for(const v of kept) map.set(v.doc_id,v); const dm=performance.now()-t2
global.gc?.(); console.log(process.argv[2],wrap,(d*1e3/(N*BLOCKS)).toFixed(3),'us/rec, of it inflate',(ti*1e3/(N*BLOCKS)).toFixed(3),'; map',(dm*1e3/(N*BLOCKS)).toFixed(3),'kept heap MB',(process.memoryUsage().heapUsed/1e6).toFixed(0), kept.length)}
