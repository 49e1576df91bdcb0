// Templates as teams write them, each with a model; their output is compared with the output of `handlebars`. The
// file is long because each template is complete.

export interface RealTemplate {
  readonly name: string
  readonly template: string
  readonly model: object
}

const company = {
  name: 'Müller & Søn',
  url: 'https://shop.example/?a=1&b=2',
  address: { street: 'Hauptstr. 1', city: 'Köln' },
}
const customer = { first_name: 'Ada', last_name: "O'Neil <ada>", email: 'ada@receiver.example', vip: true }
const items = [
  {
    sku: 'C-1',
    name: 'Café crème, 1 kg',
    quantity: 2,
    price: '€ 23.90',
    options: ['ground', 'dark'],
    gift: false,
  },
  { sku: 'F-4', name: 'Filter "size 4"', quantity: 1, price: '€ 4.50', options: [], gift: true },
  { sku: 'Z-9', name: 'Cup <Zoë>', quantity: 0, price: '€ 14.00', options: ['white'], gift: false },
]
const order = {
  number: 'R-1001',
  date: '2026-11-21',
  items,
  subtotal: '€ 66.30',
  vat: '€ 10.59',
  total: '€ 77.25',
  paid: true,
}

export const REAL_TEMPLATES: readonly RealTemplate[] = [
  {
    name: 'receipt with a loop',
    template: `<h1>Receipt {{order.number}}</h1>
<table>
{{#each order.items}}
  <tr><td>{{quantity}} × {{name}}</td><td align="right">{{price}}</td></tr>
{{/each}}
  <tr><th>Total</th><th align="right">{{order.total}}</th></tr>
</table>`,
    model: { order },
  },
  {
    name: 'receipt as sections',
    template: '{{#order}}{{number}}\n{{#items}}\n* {{name}}{{#gift}} (gift){{/gift}}\n{{/items}}\n{{/order}}',
    model: { order },
  },
  {
    name: 'password reset',
    template: `<p>Hi {{#if user.first_name}}{{user.first_name}}{{else}}there{{/if}},</p>
<p><a href="{{{action_url}}}">Set a new password</a> within {{hours}} hour{{#if plural}}s{{/if}}.</p>
{{#if operating_system}}<p>Asked from {{browser_name}} on {{operating_system}}.</p>{{/if}}`,
    model: {
      user: customer,
      action_url: 'https://x.example/r?t=a&u=b',
      hours: 2,
      plural: true,
      browser_name: 'Firefox',
    },
  },
  {
    name: 'password reset without a name',
    template: 'Hi {{#if user.name}}{{user.name}}{{else}}there{{/if}},\n\n{{{action_url}}}\n',
    model: { action_url: 'https://x.example/r?t=a&u=b' },
  },
  {
    name: 'sign-in code',
    template:
      '<p style="font-size:32px">{{code}}</p><p>Valid for {{minutes}} minutes. Not you? {{support_email}}</p>',
    model: { code: '042 517', minutes: 10, support_email: 'help@shop.example' },
  },
  {
    name: 'sign-in link as text',
    template:
      'Sign in to {{{company.name}}}:\n{{{link}}}\n\n{{! never escaped }}\n-- \n{{{company.address.city}}}\n',
    model: { company, link: 'https://x.example/?token=a=b' },
  },
  {
    name: 'welcome with steps',
    template: `<ol>
{{#steps}}
  <li{{#if done}} class="done"{{/if}}>{{title}}{{^done}} — <a href="{{url}}">start</a>{{/done}}</li>
{{/steps}}
</ol>`,
    model: {
      steps: [
        { title: 'Confirm', done: true },
        { title: 'Invite <team>', url: '/invite' },
      ],
    },
  },
  {
    name: 'invitation',
    template:
      '{{inviter.name}} ({{inviter.email}}) invites you to {{#with team}}{{name}}, {{members}} member{{#unless single}}s{{/unless}}{{/with}}.',
    model: {
      inviter: { name: 'Bob "B"', email: 'b@x.example' },
      team: { name: 'Ops', members: 3, single: false },
    },
  },
  {
    name: 'invoice with totals',
    template: `{{#with invoice}}
Invoice {{number}} of {{date}}
{{#each items}}
{{@index}}. {{name}} {{#each options}}{{this}}{{#unless @last}}, {{/unless}}{{/each}} {{quantity}} {{price}}
{{/each}}
Subtotal {{subtotal}}, VAT {{vat}}
TOTAL {{total}}{{#if paid}} paid{{else}} due in {{../terms}} days{{/if}}
{{/with}}`,
    model: { invoice: order, terms: 14 },
  },
  {
    name: 'unpaid invoice',
    template: '{{#with invoice}}{{total}}{{#if paid}} paid{{else}} due in {{../terms}} days{{/if}}{{/with}}',
    model: { invoice: { ...order, paid: false }, terms: 14 },
  },
  {
    name: 'invoice by groups',
    template: `{{#each groups}}
== {{title}} ({{lines.length}})
{{#each lines}}
{{../title}}/{{@index}}: {{text}} {{amount}}
{{else}}
nothing
{{/each}}
{{/each}}
`,
    model: {
      groups: [
        {
          title: 'Work',
          lines: [
            { text: 'A & B', amount: 1 },
            { text: 'C', amount: 2.5 },
          ],
        },
        { title: 'Other', lines: [] },
      ],
    },
  },
  {
    name: 'daily digest',
    template: `{{#if posts}}
<h2>{{posts.length}} new</h2>
{{#each posts}}
<article>{{#if @first}}<b>Top</b>{{/if}}<a href="{{url}}">{{title}}</a> by {{author.name}}{{#each tags}} <i>#{{this}}</i>{{/each}}</article>
{{/each}}
{{else}}
<p>Nothing new.</p>
{{/if}}`,
    model: {
      posts: [
        { title: 'A <1>', url: '/a?b=c', author: { name: 'X' }, tags: ['x', 'y&z'] },
        { title: 'B', url: '/b', author: {} },
      ],
    },
  },
  {
    name: 'empty digest',
    template: '{{#if posts}}{{#each posts}}{{title}}{{/each}}{{else}}<p>Nothing new.</p>{{/if}}',
    model: { posts: [] },
  },
  {
    name: 'weekly report by key',
    template:
      '<dl>{{#each figures}}<dt>{{@key}}</dt><dd>{{this}}{{#if @last}}.{{else}},{{/if}}</dd>{{/each}}</dl>',
    model: { figures: { sent: 1200, bounced: 3, 'open rate': '41 %', zero: 0 } },
  },
  {
    name: 'report of objects by key',
    template: '{{#each streams}}{{@key}}: {{sent}} of {{../limit}}\n{{/each}}',
    model: { limit: 50, streams: { transactional: { sent: 7 }, broadcast: { sent: 0 } } },
  },
  {
    name: 'shipping notice',
    template: `{{#shipments}}
Parcel {{@index}} with {{carrier}}{{#tracking}}: {{url}}{{/tracking}}{{^tracking}} (no tracking){{/tracking}}
{{/shipments}}`,
    model: { shipments: [{ carrier: 'DHL', tracking: { url: 'https://t.example/1' } }, { carrier: 'Post' }] },
  },
  {
    name: 'delivery address',
    template:
      '{{#with address}}{{name}}\n{{#if company}}{{company}}\n{{/if}}{{street}}\n{{zip}} {{city}}{{/with}}',
    model: { address: { name: 'Ada', street: 'Weg 1', zip: '01234', city: 'Ulm' } },
  },
  {
    name: 'abandoned cart',
    template: `{{#if cart.items}}{{#each cart.items}}<img src="{{image}}" alt="{{name}}">{{/each}}<a href="{{cart.url}}">Back</a>{{/if}}`,
    model: {
      cart: {
        url: 'https://s.example/cart?id=1',
        items: [{ image: 'https://i.example/a.png', name: 'Cup "Zoë"' }],
      },
    },
  },
  {
    name: 'trial ends',
    template:
      'Your trial {{#if days}}ends in {{days}} days{{else}}has ended{{/if}}. {{#unless card}}Add a card.{{/unless}}',
    model: { days: 0, card: null },
  },
  {
    name: 'payment failed',
    template:
      '{{#if last4}}Card …{{last4}}{{else if iban}}Account {{iban}}{{else}}Your payment{{/if}} failed: {{reason}}.',
    model: { iban: 'DE00', reason: 'not "enough" <funds>' },
  },
  {
    name: 'languages by flag',
    template:
      '{{#if english}}Hello{{else if german}}Hallo{{else if french}}Bonjour{{else}}Hi{{/if}} {{name}}',
    model: { french: true, name: 'Ada' },
  },
  {
    name: 'comment notice with quote',
    template: '<p>{{author}} wrote:</p><blockquote>{{{html}}}</blockquote><p>{{plain}}</p>',
    model: { author: 'B & C', html: '<b>ok</b>', plain: '<b>not ok</b>' },
  },
  {
    name: 'ticket thread',
    template: `{{#each thread}}
--- {{from.name}}{{#if from.agent}} (support){{/if}}, {{at}}
{{{body}}}
{{#each files}}
[{{@index}}] {{name}} {{size}}
{{/each}}
{{/each}}
Ticket {{id}}`,
    model: {
      id: 7,
      thread: [
        {
          from: { name: 'A', agent: true },
          at: '10:00',
          body: 'Hi\nthere',
          files: [{ name: 'a.pdf', size: 3 }],
        },
        { from: { name: 'B' }, at: '11:00', body: '<ok>' },
      ],
    },
  },
  {
    name: 'calendar',
    template:
      '{{#days}}{{date}}{{#events}}\n {{time}} {{what}}{{#room}} ({{name}}, {{floor}}){{/room}}{{/events}}{{^events}} free{{/events}}\n{{/days}}',
    model: {
      days: [
        {
          date: 'Mon',
          events: [
            { time: '9', what: 'x', room: { name: 'r', floor: 0 } },
            { time: '10', what: 'y' },
          ],
        },
        { date: 'Tue', events: [] },
      ],
    },
  },
  {
    name: 'boarding passes',
    template:
      '{{#passengers as |p|}}{{p.name}}:{{#each p.legs as |leg n|}} {{n}} {{leg.from}}→{{leg.to}}{{/each}}\n{{/passengers}}',
    model: {
      passengers: [
        {
          name: 'A',
          legs: [
            { from: 'CGN', to: 'TXL' },
            { from: 'TXL', to: 'OSL' },
          ],
        },
      ],
    },
  },
  {
    name: 'table without white space',
    template: `<table>
  {{~#each rows~}}
  <tr>
    {{~#each this~}}
    <td>{{this}}</td>
    {{~/each~}}
  </tr>
  {{~/each~}}
</table>`,
    model: {
      rows: [
        [1, 2],
        ['a', '<b>'],
      ],
    },
  },
  {
    name: 'matrix with variables of both loops',
    template: '{{#each rows}}{{#each this}}{{@../index}}.{{@index}}={{this}} {{/each}}\n{{/each}}',
    model: { rows: [[1, 2], [3]] },
  },
  {
    name: 'the root from deep inside',
    template:
      '{{#each orders}}{{#each items}}{{@root.currency}}{{amount}}{{#unless @last}} + {{/unless}}{{/each}};{{/each}}',
    model: { currency: '€', orders: [{ items: [{ amount: 1 }, { amount: 2 }] }, { items: [{ amount: 3 }] }] },
  },
  {
    name: 'outer values three levels up',
    template:
      '{{#each a}}{{#each b}}{{#each c}}{{n}} {{../n}} {{../../n}} {{../../../n}} {{/each}}{{/each}}{{/each}}',
    model: { n: 0, a: [{ n: 1, b: [{ n: 2, c: [{ n: 3 }, { n: 4 }] }] }] },
  },
  {
    name: 'settings on and off',
    template: '{{#each settings}}{{name}}: {{#if on}}on{{else}}off{{/if}} ({{on}})\n{{/each}}',
    model: { settings: [{ name: 'a', on: true }, { name: 'b', on: false }, { name: 'c' }] },
  },
  {
    name: 'bank statement',
    template:
      '{{#each lines}}{{date}} {{#if amount includeZero=true}}{{amount}}{{else}}?{{/if}}{{#if note}} {{note}}{{/if}}\n{{/each}}',
    model: { lines: [{ date: '1', amount: 0 }, { date: '2', amount: -3.5, note: 'a=b`c' }, { date: '3' }] },
  },
  {
    name: 'survey',
    template: '<p>{{question}}</p>{{#each scores}}<a href="{{../url}}?s={{this}}">{{this}}</a>{{/each}}',
    model: { question: 'How?', url: 'https://s.example/x', scores: [0, 1, 2, 3] },
  },
  {
    name: 'comments of the author',
    template: 'A{{!-- {{#if}} is not read here --}}\n{{! a line }}\nB{{!}}C\n',
    model: {},
  },
  {
    name: 'style sheet in the head',
    template:
      '<style>.a{color:{{color}} } @media (max-width:600px){.b{width:100%}}</style>{{#if dark}}<i>{{/if}}',
    model: { color: '#333', dark: false },
  },
  {
    name: 'script-like text',
    template: 'if (a) { b } {{#if c}}{ "d": {{d}} }{{/if}} \\{{not.a.tag}}',
    model: { c: 1, d: '[1]' },
  },
  {
    name: 'CRLF from Windows',
    template: 'Dear {{name}},\r\n{{#each l}}\r\n- {{this}}\r\n{{/each}}\r\nBye\r\n',
    model: { name: 'x', l: ['a', 'b'] },
  },
  {
    name: 'other scripts',
    template: '{{#each お知らせ}}・{{題}}：{{本文}}\n{{/each}}{{имя}} مرحبا',
    model: { お知らせ: [{ 題: '更新', 本文: '新しい' }], имя: 'Ада' },
  },
  {
    name: 'hyphenated names',
    template: '{{first-name}} {{order.line-items.length}} {{#each order.line-items}}{{unit-price}};{{/each}}',
    model: { 'first-name': 'A', order: { 'line-items': [{ 'unit-price': 5 }] } },
  },
  {
    name: 'brackets and numbers in paths',
    template: '{{items.[0].name}} {{items.1.name}} {{[total price]}} {{items.[9].name}}',
    model: { items, 'total price': '€ 1' },
  },
  {
    name: 'slashes in paths',
    template: '{{company/address/city}} {{#each items}}{{../company/name}} {{/each}}',
    model: { company, items },
  },
  {
    name: 'lookup by key',
    template: '{{#each items}}{{lookup ../stock sku}} {{/each}}{{lookup list.[0] "a"}}',
    model: { items, stock: { 'C-1': 5, 'F-4': 0 }, list: [{ a: 'x' }] },
  },
  {
    name: 'server alert',
    template:
      '[{{severity}}] {{host}}{{#with last}}: {{metric}} {{value}} > {{threshold}}{{/with}}\n{{#runbook}}See {{{.}}}{{/runbook}}',
    model: {
      severity: 'high',
      host: 'db-1',
      last: { metric: 'cpu', value: 0.97, threshold: 0.9 },
      runbook: 'https://w.example/?p=1&q=2',
    },
  },
  {
    name: 'signature with optional parts',
    template:
      '{{name}}{{#if role}}, {{role}}{{/if}}{{#if phone}}\n{{phone}}{{/if}}{{#social}}\n{{@key}}{{network}}: {{url}}{{/social}}',
    model: {
      name: 'A',
      phone: '+49',
      social: [
        { network: 'm', url: 'u' },
        { network: 'n', url: 'v' },
      ],
    },
  },
  {
    name: 'booking with guests',
    template:
      '{{hotel}}: {{#guests}}{{#if @first}}{{else}}, {{/if}}{{name}}{{#if child}} ({{age}}){{/if}}{{/guests}}{{^guests}}no guests{{/guests}}',
    model: { hotel: 'H & M', guests: [{ name: 'A' }, { name: 'B', child: true, age: 0 }] },
  },
]
