const N = 256, BLOCKS = 4000
const meta = process.argv[2]==='m' ? (i:number)=>`{"source":"x","n":${i}}` : ()=>'{}'
const enc = (i:number)=>`"doc:${String(i*7919%1e9).padStart(9,'0')}":{"state":"${i%3?'parsing':'downloaded'}","updated_at":${1735787045.678+i/1000},"adapter":"pubmed","metadata":${meta(i)},"etag":"${i}"}`
const texts:Buffer[]=[]
for(let b=0;b<BLOCKS;b++){const l=[];for(let i=0;i<N;i++)l.push(enc(b*N+i));texts.push(Buffer.from(l.join(',\n')))}
const EMPTY=Object.freeze({})
function keyEnd(s:string,p:number){ for(let i=p+1;;i++){const c=s.charCodeAt(i); if(c===34) return i; if(c===92) i++ } }
function viaLines(s:string){ const out=[]; const lines=s.split('\n'); const last=lines.length-1; for(let i=0;i<=last;i++){ const line=lines[i]; const k=keyEnd(line,0); const v=JSON.parse(line.slice(k+2,i<last?-1:undefined)); const id=line.slice(1,k); out.push({tenant_id:'default',id,value:full(id,v)}) } return out }
function full(id:string,v:any){ return {kind:'document',tenant_id:v.tenant_id??'default',doc_id:id,state:v.state,updated_at:v.updated_at,adapter:v.adapter,metadata:v.metadata,retry_count:v.retry_count??0,max_retries:v.max_retries??3,error_type:v.error_type??null,error_message:v.error_message??null,etag:v.etag} }
function viaArray(s:string){ const lines=s.split('\n'); const keys=[]; let a='['; for(const line of lines){const k=keyEnd(line,0); keys.push(line.slice(1,k)); a+=line.slice(k+2)} const vs=JSON.parse(a+']'); const out=[]; for(let i=0;i<vs.length;i++) out.push({tenant_id:'default',id:keys[i],value:full(keys[i],vs[i])}); return out }
// in-place colon→comma in Buffer
function viaPatch(b:Buffer){ const n=b.length; let i=0; const c=b
 while(i<n){ // at key quote
   for(i++;;i++){const ch=c[i]; if(ch===34)break; if(ch===92)i++}
   c[i+1]=44; i=c.indexOf(10,i); if(i===-1)break; i++ }
 const vs=JSON.parse('['+c.toString('utf8')+']'); const out=[]; for(let i=0;i<vs.length;i+=2) out.push({tenant_id:'default',id:vs[i],value:full(vs[i],vs[i+1])}); return out }
function viaHand(s:string){ const out=[]; let p=0; const n=s.length; let state='?',adapter='?'
 while(p<n){ const k=keyEnd(s,p); const id=s.slice(p+1,k); p=k+2
   if(!s.startsWith('{"state":"',p)) throw 1; p+=10
   if(!(s.startsWith(state,p)&&s.charCodeAt(p+state.length)===34)){ const e=s.indexOf('"',p); state=s.slice(p,e)} p+=state.length
   if(!s.startsWith('","updated_at":',p)) throw 2; p+=15
   let e=s.indexOf(',',p); const updated_at=+s.slice(p,e); p=e
   if(!s.startsWith(',"adapter":"',p)) throw 3; p+=12
   if(!(s.startsWith(adapter,p)&&s.charCodeAt(p+adapter.length)===34)){ const e=s.indexOf('"',p); adapter=s.slice(p,e)} p+=adapter.length
   if(!s.startsWith('","metadata":',p)) throw 4; p+=13
   let metadata; if(s.startsWith('{},',p)){metadata=EMPTY;p+=2} else { e=s.indexOf('\n',p); if(e===-1)e=n; const q=s.lastIndexOf(',"etag":',e); metadata=JSON.parse(s.slice(p,q)); p=q }
   if(!s.startsWith(',"etag":"',p)) throw 5; p+=9
   e=s.indexOf('"',p); const etag=s.slice(p,e); p=e+4
   out.push({tenant_id:'default',id,value:{kind:'document',tenant_id:'default',doc_id:id,state,updated_at,adapter,metadata,retry_count:0,max_retries:3,error_type:null,error_message:null,etag}}) }
 return out }
const ways:{[k:string]:(b:Buffer)=>any[]}={ lines:b=>viaLines(b.toString('utf8')), array:b=>viaArray(b.toString('utf8')), patch:b=>viaPatch(Buffer.from(b)), hand:b=>viaHand(b.toString('utf8')), rawparse:b=>JSON.parse('{'+b.toString('utf8')+'}') }
const way=process.argv[3]
{const kept:any[]=[]; const t=performance.now(); for(const b of texts){ const r=ways[way](b); if(r.length) for(const x of r) kept.push(x.value) } const d=performance.now()-t; global.gc?.(); console.log(process.argv[2],way,(d*1e3/(N*BLOCKS)).toFixed(3),'us/rec kept heap MB',(process.memoryUsage().heapUsed/1e6).toFixed(0), kept.length)}
