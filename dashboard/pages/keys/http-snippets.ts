// Example programs that send a first message or verify a first address with an API key, for copying.

export interface Snippet {
  readonly name: string
  readonly code: string
}

export interface HttpAccess {
  /** Base URL of the API, which ends with `/v1`. */
  readonly baseUrl: string
  readonly key: string
  /** Sender address in the domain. */
  readonly from: string
  readonly to: string
}

/** Returns example programs that send a message with a Sending key. */
export const httpSnippets = (access: HttpAccess): readonly Snippet[] => [
  { name: 'curl', code: curl(access) },
  { name: 'Node', code: node(access) },
  { name: 'Python', code: python(access) },
  { name: 'PHP', code: php(access) },
  { name: 'Ruby', code: ruby(access) },
  { name: 'Go', code: go(access) },
]

const curl = ({ baseUrl, key, from, to }: HttpAccess): string => `curl '${baseUrl}/messages' \\
  -H 'Authorization: Bearer ${key}' \\
  -H 'Content-Type: application/json' \\
  -d '{
    "from": "${from}",
    "to": [{ "email": "${to}" }],
    "subject": "Hello",
    "text": "Hello from Postrider."
  }'`

const node = ({ baseUrl, key, from, to }: HttpAccess): string => `// send.mjs
const response = await fetch('${baseUrl}/messages', {
  method: 'POST',
  headers: {
    authorization: 'Bearer ${key}',
    'content-type': 'application/json',
  },
  body: JSON.stringify({
    from: '${from}',
    to: [{ email: '${to}' }],
    subject: 'Hello',
    text: 'Hello from Postrider.',
  }),
})
console.log(response.status, await response.json())`

const python = ({ baseUrl, key, from, to }: HttpAccess): string => `import json
import urllib.request

request = urllib.request.Request(
    "${baseUrl}/messages",
    method="POST",
    headers={
        "Authorization": "Bearer ${key}",
        "Content-Type": "application/json",
    },
    data=json.dumps({
        "from": "${from}",
        "to": [{"email": "${to}"}],
        "subject": "Hello",
        "text": "Hello from Postrider.",
    }).encode(),
)
with urllib.request.urlopen(request) as response:
    print(response.status, json.load(response))`

const php = ({ baseUrl, key, from, to }: HttpAccess): string => `<?php
$request = curl_init('${baseUrl}/messages');
curl_setopt_array($request, [
    CURLOPT_POST => true,
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => [
        'Authorization: Bearer ${key}',
        'Content-Type: application/json',
    ],
    CURLOPT_POSTFIELDS => json_encode([
        'from' => '${from}',
        'to' => [['email' => '${to}']],
        'subject' => 'Hello',
        'text' => 'Hello from Postrider.',
    ]),
]);
echo curl_exec($request), "\\n";`

const ruby = ({ baseUrl, key, from, to }: HttpAccess): string => `require "json"
require "net/http"

response = Net::HTTP.post(
  URI("${baseUrl}/messages"),
  {
    from: "${from}",
    to: [{ email: "${to}" }],
    subject: "Hello",
    text: "Hello from Postrider."
  }.to_json,
  "Authorization" => "Bearer ${key}",
  "Content-Type" => "application/json"
)
puts response.code, response.body`

const go = ({ baseUrl, key, from, to }: HttpAccess): string => `package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

func main() {
	body := strings.NewReader(\`{
		"from": "${from}",
		"to": [{ "email": "${to}" }],
		"subject": "Hello",
		"text": "Hello from Postrider."
	}\`)
	request, err := http.NewRequest("POST", "${baseUrl}/messages", body)
	if err != nil {
		panic(err)
	}
	request.Header.Set("Authorization", "Bearer ${key}")
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	answer, _ := io.ReadAll(response.Body)
	fmt.Println(response.Status, string(answer))
}`

/** Returns an example program that shows the rights of a key. */
export const rightsSnippets = ({ baseUrl, key }: Pick<HttpAccess, 'baseUrl' | 'key'>): readonly Snippet[] => [
  { name: 'curl', code: `curl '${baseUrl}/key' \\\n  -H 'Authorization: Bearer ${key}'` },
]

export interface VerifyAccess extends Pick<HttpAccess, 'baseUrl' | 'key'> {
  readonly email: string
}

/** Returns example programs that verify an address with a Verification key. */
export const verifySnippets = ({ baseUrl, key, email }: VerifyAccess): readonly Snippet[] => {
  const url = `${baseUrl}/verifyEmail?email=${encodeURIComponent(email)}`
  return [
    { name: 'curl', code: `curl '${url}' \\\n  -H 'Authorization: Bearer ${key}'` },
    {
      name: 'Node',
      code: `// verify.mjs
const response = await fetch('${url}', {
  headers: { authorization: 'Bearer ${key}' },
})
console.log(response.status, await response.json())`,
    },
    {
      name: 'Python',
      code: `import json
import urllib.request

request = urllib.request.Request(
    "${url}",
    headers={"Authorization": "Bearer ${key}"},
)
with urllib.request.urlopen(request) as response:
    print(response.status, json.load(response))`,
    },
    {
      name: 'PHP',
      code: `<?php
$request = curl_init('${url}');
curl_setopt_array($request, [
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => ['Authorization: Bearer ${key}'],
]);
echo curl_exec($request), "\\n";`,
    },
    {
      name: 'Ruby',
      code: `require "net/http"

puts Net::HTTP.get(
  URI("${url}"),
  "Authorization" => "Bearer ${key}"
)`,
    },
    { name: 'Go', code: verifyInGo(url, key) },
  ]
}

const verifyInGo = (url: string, key: string): string => `package main

import (
	"fmt"
	"io"
	"net/http"
)

func main() {
	request, err := http.NewRequest("GET", "${url}", nil)
	if err != nil {
		panic(err)
	}
	request.Header.Set("Authorization", "Bearer ${key}")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	answer, _ := io.ReadAll(response.Body)
	fmt.Println(response.Status, string(answer))
}`
