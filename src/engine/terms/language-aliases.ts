// Deprecated subtags and tags with the preferred ones, from CLDR's aliases and the registry of RFC 5646 (§2.2.8, §4.5). A table costs nothing where
// peers choose the tags; a call of Intl costs 30 µs. Without the numbers of countries, which nobody writes in a tag.

/** Of languages. A preferred one may bring its script or region. */
export const LANGUAGE_ALIASES = tableOf(`
aam=aas aar=aa abk=ab adp=dz afr=af agp=apf ais=ami ajp=apc ajt=aeb aju=jrb aka=ak alb=sq als=sq amh=am ara=ar arb=ar arg=an arm=hy asd=snz
asm=as aue=ktz ava=av ave=ae aym=ay ayr=ay ayx=nun aze=az azj=az bak=ba bam=bm baq=eu baz=nvo bcc=bal bcl=bik bel=be ben=bn bgm=bcg bhk=fbl
bic=bir bih=bho bis=bi bjd=drl bjq=bzc bkb=ebk blg=iba bod=bo bos=bs bre=br btb=beb bul=bg bur=my bxk=luy bxr=bua cat=ca ccq=rki ces=cs
cha=ch che=ce chi=zh chu=cu chv=cv cjr=mom cka=cmr cld=syr cls=sa cmk=xch cmn=zh cnr=sr-me cor=kw cos=co coy=pij cqu=quh cre=cr cwd=cr
cym=cy cze=cs daf=dnj dan=da dap=njz dek=sqm deu=de dgo=doi dhd=mwr dik=din diq=zza dit=dif div=dv djl=dze dkl=aqd drh=mn drr=kzk drw=fa-af
dud=uth duj=dwu dut=nl dwl=dbt dzo=dz ekk=et ell=el elp=amq emk=man eng=en epo=eo esk=ik est=et eus=eu ewe=ee fao=fo fas=fa fat=ak fij=fj
fin=fi fra=fr fre=fr fry=fy fuc=ff ful=ff gav=dev gaz=om gbc=wny gbo=grb geo=ka ger=de gfx=vaj ggn=gvr ggo=esg ggr=gtu gio=aou gla=gd gle=ga
glg=gl gli=kzk glv=gv gno=gon gom=kok gre=el grn=gn gti=nyc gug=gn guj=gu guv=duz gya=gba hat=ht hau=ha hbs=sr-latn hdn=hai hea=hmn heb=he
her=hz him=srx hin=hi hmo=ho hrr=jal hrv=hr hun=hu hye=hy ibi=opa ibo=ig ice=is ido=io iii=ii ike=iu iku=iu ile=ie ill=ilm ilw=gal in=id
ina=ia ind=id ipk=ik isl=is ita=it iw=he izi=eza jar=jgk jav=jv jaw=jv jeg=oyb ji=yi jpn=ja jw=jv kal=kl kan=kn kas=ks kat=ka kau=kr kaz=kk
kdv=zkd kgc=tdf kgd=ncq kgh=kml kgm=plu khk=mn khm=km kik=ki kin=rw kir=ky kmr=ku knc=kr kng=kg koj=kwv kom=kv kon=kg kor=ko kpp=jkm kpv=kv
krm=bmf ktr=dtp kua=kj kur=ku kvs=gdj kwq=yam kxe=tvd kxl=kru kzh=dgl kzj=dtp kzt=dtp lak=ksp lao=lo lat=la lav=lv lbk=bnc leg=enl lii=raq
lim=li lin=ln lit=lt llo=ngt lmm=rmx ltz=lb lub=lu lug=lg lvs=lv mac=mk mah=mh mal=ml mao=mi mar=mr may=ms meg=cir mgx=jbk mhr=chm mkd=mk
mlg=mg mlt=mt mnt=wnn mo=ro mof=xnt mol=ro mon=mn mri=mi msa=ms mst=mry mup=raj mwd=dmw mwj=vaj mya=my myd=aog myt=mry nad=xny nau=na nav=nv
nbf=nru nbl=nr nbx=gll ncp=kdz nde=nd ndo=ng nep=ne nld=nl nln=azd nlr=nrk nno=nn nns=nbr nnx=ngv nob=nb nom=cbr noo=dtd nor=no npi=ne
nte=eko nts=pij nxu=bpp nya=ny oci=oc ojg=oj oji=oj ori=or orm=om ory=or oss=os oun=vaj pan=pa pat=kxr pbu=ps pcr=adx per=fa pes=fa pli=pi
plt=mg pmc=huw pmk=crr pmu=phr pnb=lah pol=pl por=pt ppa=bfy ppr=lcq prp=gu prs=fa-af pry=prt pus=ps puz=pub que=qu quz=qu rmr=emx rmy=rom
roh=rm ron=ro rum=ro run=rn rus=ru sag=sg san=sa sap=aqt sca=hle scc=sr scr=hr sgl=isk sh=sr-latn sin=si skk=oyb slk=sk slo=sk slv=sl
smd=kmb sme=se smo=sm sna=sn snb=iba snd=sd som=so sot=st spa=es spy=kln sqi=sq src=sc srd=sc srp=sr ssw=ss sul=sgd sum=ulw sun=su swa=sw
swc=sw-cd swe=sv swh=sw szd=umi tah=ty tam=ta tat=tt tdu=dtp tel=te tgg=bjp tgk=tg tgl=fil tha=th thc=tpo thw=ola thx=oyb tib=bo tid=itd
tie=ras tir=ti tkk=twm tl=fil tlw=weo tmk=tdg tmp=tyj tne=kak tnf=fa-af ton=to tpw=tpn tsf=taj tsn=tn tso=ts ttq=tmh tuk=tk tur=tr twi=ak
uig=ug ukr=uk umu=del unp=wro uok=ema urd=ur uzb=uz uzn=uz ven=ve vie=vi vol=vo wel=cy wgw=wgb wit=nol wiw=nwo wln=wa wol=wo xba=cax xho=xh
xia=acn xkh=waw xpe=kpe xrq=dmw xsj=suj xsl=den xss=zko ybd=rki ydd=yi yen=ynq yid=yi yiy=yrm yma=lrr ymt=mtm yor=yo yos=zom yuu=yug zai=zap
zha=za zho=zh zir=scv zkb=kjh zsm=ms zul=zu zyb=za
`);

/** Of regions, whatever the language. */
export const REGION_ALIASES = tableOf(`
an=cw bu=mm cs=rs ct=ki dd=de dy=bj fq=aq fx=fr hv=bf jt=um mi=um nh=vu nq=aq nt=sa pc=fm pu=um pz=pa qu=eu rh=zw su=ru tp=tl uk=gb vd=vn
wk=um yd=ye yu=rs zr=cd
`);

/** Of whole tags, regions of sign languages among them. */
export const TAG_ALIASES = tableOf(`
art-lojban=jbo en-gb-oed=en-gb-oxendict i-ami=ami i-bnn=bnn i-hak=hak i-klingon=tlh i-lux=lb i-navajo=nv i-pwn=pwn i-tao=tao i-tay=tay
i-tsu=tsu no-bok=nb no-nyn=nn sgn-be-fr=sfb sgn-be-nl=vgt sgn-br=bzs sgn-ch-de=sgg sgn-co=csn sgn-de=gsg sgn-dk=dsl sgn-es=ssp sgn-fr=fsl
sgn-gb=bfi sgn-gr=gss sgn-ie=isg sgn-it=ise sgn-jp=jsl sgn-mx=mfs sgn-ni=ncs sgn-nl=dse sgn-no=nsl sgn-pt=psr sgn-se=swl sgn-us=ase
sgn-za=sfs zh-guoyu=zh zh-hakka=hak zh-min-nan=nan zh-xiang=hsn
`);

function tableOf(pairs: string): ReadonlyMap<string, string> {
  return new Map(
    pairs
      .trim()
      .split(/\s/)
      .map((pair) => pair.split("=") as [deprecated: string, preferred: string]),
  );
}
