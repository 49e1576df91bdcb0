// Programs that send a first message, ready to be pasted: with a key over HTTP, with an SMTP credential.

export interface Snippet {
  readonly name: string
  readonly code: string
}

export interface HttpAccess {
  /** Ends with `/v1`. */
  readonly baseUrl: string
  readonly key: string
  /** An address of the domain. */
  readonly from: string
  readonly to: string
}

/** With a Sending key. */
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

export interface SmtpAccess {
  readonly host: string
  readonly port: number
  readonly username: string
  readonly password: string
  readonly from: string
  readonly to: string
}

/** With an SMTP credential. */
export const smtpSnippets = (access: SmtpAccess): readonly Snippet[] => [
  { name: 'Settings', code: settings(access) },
  { name: 'nodemailer', code: nodemailer(access) },
  { name: 'Python', code: smtplib(access) },
  { name: 'PHP', code: phpMailer(access) },
  { name: 'Ruby', code: rubyMail(access) },
  { name: 'Go', code: goSmtp(access) },
]

const settings = ({ host, port, username, password }: SmtpAccess): string => `Host        ${host}
Port        ${port}
Encryption  STARTTLS
User name   ${username}
Password    ${password}`

const nodemailer = ({ host, port, username, password, from, to }: SmtpAccess): string => `// send.mjs
import nodemailer from 'nodemailer'

const transport = nodemailer.createTransport({
  host: '${host}',
  port: ${port},
  requireTLS: true,
  auth: { user: '${username}', pass: '${password}' },
})
const { response } = await transport.sendMail({
  from: '${from}',
  to: '${to}',
  subject: 'Hello',
  text: 'Hello from Postrider.',
})
console.log(response)`

const smtplib = ({ host, port, username, password, from, to }: SmtpAccess): string => `import smtplib
from email.message import EmailMessage

message = EmailMessage()
message["From"] = "${from}"
message["To"] = "${to}"
message["Subject"] = "Hello"
message.set_content("Hello from Postrider.")

with smtplib.SMTP("${host}", ${port}) as smtp:
    smtp.starttls()
    smtp.login("${username}", "${password}")
    smtp.send_message(message)`

const phpMailer = ({ host, port, username, password, from, to }: SmtpAccess): string => `<?php
// composer require phpmailer/phpmailer
require 'vendor/autoload.php';

$mail = new PHPMailer\\PHPMailer\\PHPMailer(true);
$mail->isSMTP();
$mail->Host = '${host}';
$mail->Port = ${port};
$mail->SMTPAuth = true;
$mail->SMTPSecure = 'tls';
$mail->Username = '${username}';
$mail->Password = '${password}';
$mail->setFrom('${from}');
$mail->addAddress('${to}');
$mail->Subject = 'Hello';
$mail->Body = 'Hello from Postrider.';
$mail->send();`

const rubyMail = ({ host, port, username, password, from, to }: SmtpAccess): string => `# gem install mail
require "mail"

Mail.defaults do
  delivery_method :smtp,
    address: "${host}",
    port: ${port},
    user_name: "${username}",
    password: "${password}",
    authentication: :plain,
    enable_starttls: true
end

Mail.deliver do
  from "${from}"
  to "${to}"
  subject "Hello"
  body "Hello from Postrider."
end`

const goSmtp = ({ host, port, username, password, from, to }: SmtpAccess): string => `package main

import "net/smtp"

func main() {
	auth := smtp.PlainAuth("", "${username}", "${password}", "${host}")
	message := "From: ${from}\\r\\nTo: ${to}\\r\\nSubject: Hello\\r\\n\\r\\nHello from Postrider.\\r\\n"
	err := smtp.SendMail("${host}:${port}", auth, "${from}", []string{"${to}"}, []byte(message))
	if err != nil {
		panic(err)
	}
}`
