(function(){
const svg=document.currentScript.closest('svg');
const status=document.querySelector('.xetile-status')||svg.querySelector('.status');
let picked=null;
function colour(cell){for(const c of cell.classList)if(/^l\d+$/.test(c))return c;return null;}
function repaint(){for(const c of svg.querySelectorAll('.c'))
 c.classList.toggle('off',picked!==null&&colour(c)!==picked);}
function words(panel,at,place){const bits=panel.dataset.bits.split(',').map(Number);
 const shared=panel.dataset.chunk!=='0';
 const names=shared?['offset','block']:['register','lane','subgroup','block'];
 const out=[];let rest=place;
 bits.forEach((n,i)=>{const v=rest&((1<<n)-1);rest>>=n;if(n||(shared?i<1:i<2))out.unshift(names[i]+' '+v);});
 return '('+at.join(', ')+'): '+out.join(', ');}
svg.addEventListener('mouseover',e=>{const g=e.target.closest('.cell,.fold');
 status.textContent=g?g.querySelector('title').textContent:'';});
svg.addEventListener('click',e=>{const fold=e.target.closest('.fold');
 if(fold){open(fold);return;}
 const c=e.target.closest('.c');const l=c?colour(c):null;picked=(l===picked)?null:l;repaint();});
function open(fold){const panel=fold.closest('.panel');const x=Number(fold.dataset.place);
 const at=fold.dataset.at.split(',').map(Number);const chunk=Number(panel.dataset.chunk);
 const bits=panel.dataset.bits.split(',').map(Number);
 for(const f of panel.querySelectorAll('.fold'))f.classList.toggle('open',f===fold);
 const head=at.slice(0,-2),row=at.length>1?at[at.length-2]:0,col=at[at.length-1];
 for(const t of panel.querySelectorAll('[data-row]'))t.textContent=row+Number(t.dataset.row);
 for(const t of panel.querySelectorAll('[data-column]'))t.textContent=col+Number(t.dataset.column);
 for(const c of panel.querySelectorAll('.cell')){const place=Number(c.dataset.place)^x;
  const [i,j]=c.dataset.at.split(',').map(Number);
  const first=place&((1<<bits[0])-1);
  const field=Number(panel.dataset.coloured);let below=0;for(let k=0;k<field;k++)below+=bits[k];
  const n=chunk?Math.floor(first/chunk)%8:(place>>below)&((1<<bits[field])-1);
  c.classList.replace(colour(c),'l'+n);c.querySelector('text').textContent=first;
  const full=at.length>1?head.concat([row+i,col+j]):[col+j];
  c.querySelector('title').textContent=words(panel,full,place);}
 repaint();}
})();
