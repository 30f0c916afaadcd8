import { gzipSync, gunzipSync, gunzip } from 'node:zlib'
const N = 256, BLOCKS = 2000
const enc = (i:number)=>`"doc:${String(i*7919%1e9).padStart(9,'0')}":{"state":"parsing","updated_at":${1735787045.678+i/1000},"adapter":"pubmed","metadata":{"source":"x","n":${i}},"etag":"${i}"}`
const texts:string[]=[]
for(let b=0;b<BLOCKS;b++){const l=[];for(let i=0;i<N;i++)l.push(enc(b*N+i));texts.push(l.join(',\n'))}
console.log('bytes/rec', texts[5].length/N)
for (const level of [1,3,6]) { const t=performance.now(); const z=texts.slice(0,500).map(t=>gzipSync(t,{level})); const d=performance.now()-t; console.log('gzip',level,(d/500/256*1e3).toFixed(3),'us/rec', z.reduce((a,b)=>a+b.length,0)/500/256,'B/rec') }
const zs=texts.map(t=>gzipSync(t,{level:3}))
const per=(t:number)=>((performance.now()-t)*1e3/(N*BLOCKS)).toFixed(3)+' us/rec'
for(let rep=0;rep<2;rep++){
let t=performance.now(); let x=0
for(const z of zs) x+=gunzipSync(z).length
console.log('gunzipSync',per(t))
t=performance.now()
for(const z of zs) x+=gunzipSync(z,{chunkSize:z.readUInt32LE(z.length-4)+64}).length
console.log('gunzipSync one chunk',per(t))
const bufs=zs.map(z=>gunzipSync(z))
t=performance.now(); for(const b of bufs) x+=b.toString('utf8').length
console.log('toString utf8',per(t))
t=performance.now(); for(const b of bufs) x+=b.latin1Slice().length
console.log('latin1Slice',per(t))
t=performance.now(); for(const s of texts) x+=Object.keys(JSON.parse('{'+s+'}')).length
console.log('parse object',per(t))
t=performance.now(); for(const s of texts){ const l=s.split('\n'); for(const line of l){const k=line.indexOf('":'); const v=JSON.parse(line.endsWith(',')?line.slice(k+2,-1):line.slice(k+2)); x+=v.updated_at}}
console.log('parse per line',per(t))
t=performance.now(); for(const s of texts){ const l=s.split('\n'); let a='['; const keys=[]; for(const line of l){const k=line.indexOf('":'); keys.push(line.slice(1,k)); a+=line.slice(k+2)} const v=JSON.parse(a+']'); x+=v.length}
console.log('parse array stripped',per(t))
t=performance.now(); for(const s of texts){ const a='['+s.replace(/^("[^"\\]*"):/gm,'$1,')+']'; x+=JSON.parse(a).length }
console.log('parse array replaced colon regex',per(t))
t=performance.now(); for(const b of bufs){ // colon→comma in buffer
 let at=0; const c=b; for(;;){ const q=c.indexOf('":',at); c[q+1]=44; const n=c.indexOf(10,q); if(n===-1)break; at=n+1 }
 const v=JSON.parse('['+b.latin1Slice()+']'); x+=v.length
 at=0; for(;;){ const q=c.indexOf('",{',at); c[q+1]=58; const n=c.indexOf(10,q); if(n===-1)break; at=n+1 } }
console.log('parse array colon patched in buffer (x1.5)',per(t))
t=performance.now()
const re=/"([^"\\]*)":\{"state":"([^"\\]*)","updated_at":([\d.]+),"adapter":"([^"\\]*)","metadata":(.*),"etag":"(\d+)"\},?\n?/y
for(const s of texts){ re.lastIndex=0; let m; while((m=re.exec(s))!==null){ const v={kind:'document',tenant_id:'default',doc_id:m[1],state:m[2],updated_at:+m[3],adapter:m[4],metadata:JSON.parse(m[5]),retry_count:0,max_retries:3,error_type:null,error_message:null,etag:m[6]}; x+=v.updated_at } }
console.log('regex',per(t))
t=performance.now()
await Promise.all([0,1,2,3].map(async w=>{ for(let i=w;i<zs.length;i+=4) await new Promise<void>(r=>gunzip(zs[i],(e,b)=>{x+=b.length;r()})) }))
console.log('gunzip async x4',per(t))
}
