const b=Buffer.from(('"doc:000000123":{"state":"parsing","updated_at":1735787045.678,"adapter":"pubmed","metadata":{},"etag":"17"},\n').repeat(256))
const L=b.length/256
for(let r=0;r<4;r++){
let t=performance.now(); let x=0
for(let j=0;j<2000;j++) for(let i=0;i<256;i++) x+=b.latin1Slice(i*L+1,i*L+14).length
console.log('latin1Slice', ((performance.now()-t)/512).toFixed(4),'us'); 
t=performance.now()
for(let j=0;j<2000;j++) for(let i=0;i<256;i++) x+=b.utf8Slice(i*L+1,i*L+14).length
console.log('utf8Slice', ((performance.now()-t)/512).toFixed(4)); 
t=performance.now()
for(let j=0;j<2000;j++) for(let i=0;i<256;i++) {const o=i*L+1; x+=String.fromCharCode(b[o],b[o+1],b[o+2],b[o+3],b[o+4],b[o+5],b[o+6],b[o+7],b[o+8],b[o+9],b[o+10],b[o+11],b[o+12]).length}
console.log('fromCharCode', ((performance.now()-t)/512).toFixed(4)); 
const s=b.toString('utf8')
t=performance.now()
for(let j=0;j<2000;j++) for(let i=0;i<256;i++) {const o=i*L+1; x+=s.slice(o,o+13).length}
console.log('slice', ((performance.now()-t)/512).toFixed(4)); 
t=performance.now()
for(let j=0;j<2000;j++) for(let i=0;i<256;i++) {const o=i*L+1; x+=(s.slice(o,o+6)+s.slice(o+6,o+13)).length}
console.log('slice+slice', ((performance.now()-t)/512).toFixed(4)); 
}
