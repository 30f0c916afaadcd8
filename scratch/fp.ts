import { IdFilter } from '../src/store/journal/blocks/id-filter.ts'
for (const make of [(i:number)=>'"doc:'+String(i).padStart(9,'0')+'"',(i:number)=>'"'+crypto.randomUUID()+'"',(i:number)=>'"d'+i+'"']) {
 let fp=0,n=0
 for(let b=0;b<300;b++){ const f=IdFilter.of(Array.from({length:256},(_,i)=>make(b*256+i))); for(let j=0;j<1000;j++){ n++; if(f.has(make(1e6+b*7+j*3))) fp++ } }
 console.log(make(3),(100*fp/n).toFixed(2)+'%')
}
const f=IdFilter.of(Array.from({length:256},(_,i)=>'doc:'+i)); let t=performance.now(); let x=0; for(let i=0;i<1e6;i++) x+=+f.has('doc:x'+i); console.log('has us',(performance.now()-t)/1e3)
