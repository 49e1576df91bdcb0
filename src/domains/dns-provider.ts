// The DNS provider that hosts the zone of a domain, identified by the name servers of the zone.

import type { Resolver } from '../dns/resolver.ts'

export interface DnsHosting {
  /** Zone that contains the domain: the domain itself, or a parent domain. */
  readonly zone: string
  readonly nameServers: readonly string[]
  /** DNS provider of the zone; undefined for unknown name servers. */
  readonly provider: { readonly name: string; readonly url: string } | undefined
}

/** Pattern of the name servers, name of the DNS provider, and URL for editing records (`{zone}` is a placeholder). */
const PROVIDERS: readonly (readonly [nameServer: RegExp, name: string, url: string])[] = [
  [/\.ns\.cloudflare\.com$/, 'Cloudflare', 'https://dash.cloudflare.com/?to=/:account/{zone}/dns/records'],
  [/\.domaincontrol\.com$/, 'GoDaddy', 'https://dcc.godaddy.com/control/dnsmanagement?domainName={zone}'],
  [
    /\.awsdns-\d+\.(com|net|org|co\.uk)$/,
    'Amazon Route 53',
    'https://console.aws.amazon.com/route53/v2/hostedzones',
  ],
  [
    /^ns-cloud-\w+\.googledomains\.com$/,
    'Google Cloud DNS',
    'https://console.cloud.google.com/net-services/dns/zones',
  ],
  [
    /\.azure-dns\.(com|net|org|info)$/,
    'Azure DNS',
    'https://portal.azure.com/#browse/Microsoft.Network%2FdnsZones',
  ],
  [
    /\.registrar-servers\.com$/,
    'Namecheap',
    'https://ap.www.namecheap.com/Domains/DomainControlPanel/{zone}/advancedns',
  ],
  [/\.ui-dns\.(com|de|org|biz)$/, 'IONOS', 'https://my.ionos.com/domain-dns-settings/{zone}'],
  [
    /\.(ns\.hetzner\.(com|de)|first-ns\.de|second-ns\.(de|com)|your-server\.de)$/,
    'Hetzner',
    'https://console.hetzner.com/',
  ],
  [/\.(ovh\.net|anycast\.me)$/, 'OVHcloud', 'https://www.ovh.com/manager/#/web/zone/{zone}'],
  [/\.gandi\.net$/, 'Gandi', 'https://admin.gandi.net/domain/{zone}/records'],
  [/\.digitalocean\.com$/, 'DigitalOcean', 'https://cloud.digitalocean.com/networking/domains/{zone}'],
  [/\.linode\.com$/, 'Akamai (Linode)', 'https://cloud.linode.com/domains'],
  [/\.vercel-dns\.com$/, 'Vercel', 'https://vercel.com/dashboard/domains'],
  [/\.nsone\.net$/, 'NS1 or Netlify', 'https://app.netlify.com/account/dns'],
  [/\.dnsimple(-edge)?\.(com|net|org|io)$/, 'DNSimple', 'https://dnsimple.com/'],
  [/\.name\.com$/, 'Name.com', 'https://www.name.com/account/domain/details/{zone}#dns'],
  [/\.porkbun\.com$/, 'Porkbun', 'https://porkbun.com/account/domainsSpeedy'],
  [/\.wixdns\.net$/, 'Wix', 'https://manage.wix.com/account/domains'],
  [/\.squarespacedns\.com$/, 'Squarespace', 'https://account.squarespace.com/domains'],
  [/\.dns-parking\.com$/, 'Hostinger', 'https://hpanel.hostinger.com/'],
  [/\.inwx\.(de|eu|net|com)$/, 'INWX', 'https://www.inwx.com/'],
  [/\.rzone\.de$/, 'STRATO', 'https://www.strato.de/apps/CustomerService'],
  [/\.kasserver\.com$/, 'ALL-INKL', 'https://kas.all-inkl.com/'],
  [/\.infomaniak\.(ch|com)$/, 'Infomaniak', 'https://manager.infomaniak.com/'],
  [/\.transip\.(net|nl|eu)$/, 'TransIP', 'https://www.transip.nl/cp/'],
  [/\.(alidns|hichina)\.com$/, 'Alibaba Cloud DNS', 'https://dns.console.aliyun.com/'],
  [/\.dnspod\.(net|com)$/, 'DNSPod', 'https://console.dnspod.cn/'],
  [/\.loopia\.se$/, 'Loopia', 'https://customerzone.loopia.com/'],
  [/\.hyp\.net$/, 'Domeneshop', 'https://www.domeneshop.no/admin'],
  [/\.one\.com$/, 'one.com', 'https://www.one.com/admin/'],
  [/\.simply\.com$/, 'Simply.com', 'https://www.simply.com/controlpanel/'],
  [/\.dnsmadeeasy\.com$/, 'DNS Made Easy', 'https://cp.dnsmadeeasy.com/'],
  [/\.he\.net$/, 'Hurricane Electric', 'https://dns.he.net/'],
  [/\.bunny\.net$/, 'bunny.net', 'https://dash.bunny.net/dns'],
  [/\.dom\.scw\.cloud$/, 'Scaleway', 'https://console.scaleway.com/domains'],
]

/** Finds the zone of a domain and the provider of the zone; undefined if a DNS lookup failed or found no zone. */
export async function findDnsHosting(resolver: Resolver, domain: string): Promise<DnsHosting | undefined> {
  const labels = domain.split('.')
  for (let first = 0; first < labels.length - 1; first++) {
    const zone = labels.slice(first).join('.')
    const answer = await resolver.ns(zone)
    if (answer.kind === 'failure') return undefined
    if (answer.kind !== 'found' || answer.records.length === 0) continue
    const nameServers = answer.records.map((name) => name.replace(/\.$/, '').toLowerCase()).toSorted()
    return { zone, nameServers, provider: providerOf(nameServers, zone) }
  }
  return undefined
}

/** Returns the DNS provider to which all of these name servers belong. */
function providerOf(nameServers: readonly string[], zone: string): DnsHosting['provider'] {
  const known = PROVIDERS.find(([ending]) => nameServers.every((name) => ending.test(name)))
  if (known === undefined) return undefined
  const [, name, url] = known
  return { name, url: url.replace('{zone}', encodeURIComponent(zone)) }
}
