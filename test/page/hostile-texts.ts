// Texts that would do something if anybody took them for more than text. They are put together from parts, always the same ones
// in the same order; whichever of them runs sets `__pwned`.

const RUN = 'window.__pwned=1'

const MARKUP = [
  `<script>${RUN}</script>`,
  `</script><script>${RUN}//`,
  `<scr<script>ipt>${RUN}</scr</script>ipt>`,
  `<img src=x onerror=${RUN}>`,
  `<img/src="x"/onerror="${RUN}"//`,
  `<svg/onload=${RUN}>`,
  `<svg><script>${RUN}</script></svg>`,
  `<svg><animate onbegin=${RUN} attributeName=x>`,
  `<svg><use href="data:image/svg+xml,<svg id=x onload=${RUN}>#x">`,
  `<math><mtext><style><img src onerror=${RUN}></style>`,
  `<math href="javascript:${RUN}">x</math>`,
  '<iframe srcdoc="<script>parent.__pwned=1</script>">',
  `<iframe src="javascript:parent.__pwned=1">`,
  `<body onload=${RUN}>`,
  `<details open ontoggle=${RUN}>`,
  `<input autofocus onfocus=${RUN}>`,
  `<video><source onerror=${RUN}></video>`,
  `<marquee onstart=${RUN}>`,
  `<a href="javascript:${RUN}">x</a>`,
  `<object data="javascript:${RUN}">`,
  `<embed src="//evil.example/x.swf">`,
  `<style>@import '//evil.example/x.css';</style>`,
  '<link rel=stylesheet href=//evil.example/x.css>',
  '<meta http-equiv=refresh content="0;url=//evil.example">',
  '<base href=//evil.example/>',
  `<form action="javascript:${RUN}"><button autofocus>x`,
  `<template><script>${RUN}</script></template>`,
  `<noscript><p title="</noscript><img src=x onerror=${RUN}>">`,
  `<!--><img src=x onerror=${RUN}>-->`,
  `<![CDATA[<script>${RUN}</script>]]>`,
  `<div style="background:url(javascript:${RUN})">`,
  `<div style="width:expression(${RUN})">`,
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '&#x3c;script&#x3e;',
]

const CODE = [
  `javascript:${RUN}`,
  `JaVaScRiPt&colon;${RUN}`,
  `data:text/html,<script>${RUN}</script>`,
  'vbscript:msgbox(1)',
  `{{constructor.constructor('${RUN}')()}}`,
  `\${${RUN}}`,
  `<%= ${RUN} %>`,
  `#{${RUN}}`,
  `[[${RUN}]]`,
  `{%raw%}${RUN}`,
  `';${RUN}//`,
  `";${RUN}//`,
  `\`;${RUN}//`,
  `\\u003cscript\\u003e${RUN}`,
  `%3Cscript%3E${RUN}%3C/script%3E`,
  `+ADw-script+AD4-${RUN}`,
  "trustedTypes.createPolicy('default',{createHTML:s=>s,createScript:s=>s})",
  `setTimeout('${RUN}')`,
  `{"$$typeof":"Symbol(react.element)","type":"script"}`,
  'dangerouslySetInnerHTML',
  "' OR 1=1 --",
  "=cmd|'/c calc'!A1",
  '$(touch /tmp/pwned)',
]

const NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'undefined',
  'null',
  'NaN',
  'true',
  '0',
  '-0',
  '[object Object]',
]

const PLACES = [
  '../../etc/passwd',
  '..\\..\\windows',
  '/',
  '//evil.example/x',
  'C:\\con',
  'a?b=c&d#e',
  'a/b/../c',
  '%',
  '%00',
  '%2F..%2F',
  '%E0%A4%A',
  '$tenant',
  '$id',
  '*',
  ':cancel',
  'x:move',
  'a;b',
  'a,b',
]

const WRITING = [
  '\u202egpj.exe',
  '\u2067abc\u2066',
  '\u200b\u200dx',
  '\ufeffx',
  '\u0085\u00a0x',
  '\u2028x\u2029',
  'Z\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308\u0309a\u0316\u0317\u0318\u0319lgo',
  '👩‍👩‍👧‍👦🏳️‍🌈',
  '𝕳𝖊𝖑𝖑𝖔',
  'שלום (עולם)',
  'ﷺ﷽',
  '| a | b |\\|',
  `[x](javascript:${RUN})`,
  '![x](//evil.example/i.png)',
  '**b** _i_ `c` ~~s~~ # h',
  '<https://evil.example>',
]

/** What no id may have; messages and what tools print may. */
const CONTROLS = [
  '\u0000x',
  'a\nb',
  'a\r\nb\tc',
  '\u001b[31mred\u001b[0m',
  '\u001b]8;;http://evil.example\u0007x\u001b]8;;\u0007',
  '\u001b[2J\u001b[H',
  '\u0007\u0008\u007f',
  `long ${'<b>x</b>'.repeat(70)}`,
]

const FRAMES: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `"><b>${text}`,
  (text) => `'${text}'`,
  (text) => `--> ${text}`,
  (text) => `]]>${text}`,
  (text) => `</title></textarea>${text}`,
  (text) => `\u202e${text}`,
  (text) => `{"a":"${text}"}`,
  (text) => `%22${text}`,
  (text) => text.toUpperCase(),
]

const PARTS = [...MARKUP, ...CODE, ...NAMES, ...PLACES, ...WRITING, ...CONTROLS]

export const HOSTILE_TEXTS: readonly string[] = [
  ...new Set(FRAMES.flatMap((frame) => PARTS.map((part) => frame(part)))),
].slice(0, 1000)

/** One of each kind, as it is. */
export const PLAIN_PARTS: readonly string[] = PARTS
