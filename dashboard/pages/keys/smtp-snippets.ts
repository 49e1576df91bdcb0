// Example programs that send a first message with an SMTP credential, for copying.

import type { Snippet } from './http-snippets.ts'

export interface SmtpAccess {
  readonly host: string
  readonly port: number
  /**
   * True if no certificate authority has signed the certificate; programs must accept such a certificate explicitly.
   */
  readonly self_signed: boolean
  readonly username: string
  readonly password: string
  readonly from: string
  readonly to: string
}

/** Returns example programs that send a message with an SMTP credential. */
export const smtpSnippets = (access: SmtpAccess): readonly Snippet[] => [
  { name: 'nodemailer', code: nodemailer(access) },
  { name: 'Python', code: smtplib(access) },
  { name: 'PHP', code: phpMailer(access) },
  { name: 'Ruby', code: rubyMail(access) },
  { name: 'Go', code: goSmtp(access) },
]

/** Returns a line of a program if the condition is true, otherwise an empty string. */
const lineIf = (wanted: boolean, text: string): string => (wanted ? `\n${text}` : '')

const nodemailer = ({
  host,
  port,
  self_signed,
  username,
  password,
  from,
  to,
}: SmtpAccess): string => `// send.mjs
import nodemailer from 'nodemailer'

const transport = nodemailer.createTransport({
  host: '${host}',
  port: ${port},
  requireTLS: true,
  auth: { user: '${username}', pass: '${password}' },${lineIf(self_signed, '  tls: { rejectUnauthorized: false }, // the certificate is self-signed')}
})
const { response } = await transport.sendMail({
  from: '${from}',
  to: '${to}',
  subject: 'Hello',
  text: 'Hello from Postrider.',
})
console.log(response)`

const smtplib = ({
  host,
  port,
  self_signed,
  username,
  password,
  from,
  to,
}: SmtpAccess): string => `import smtplib
import ssl
from email.message import EmailMessage

message = EmailMessage()
message["From"] = "${from}"
message["To"] = "${to}"
message["Subject"] = "Hello"
message.set_content("Hello from Postrider.")

context = ssl.create_default_context()${lineIf(self_signed, PYTHON_TRUST)}
with smtplib.SMTP("${host}", ${port}) as smtp:
    smtp.starttls(context=context)
    smtp.login("${username}", "${password}")
    smtp.send_message(message)`

const PYTHON_TRUST = `# The certificate is self-signed.
context.check_hostname = False
context.verify_mode = ssl.CERT_NONE`

const phpMailer = ({ host, port, self_signed, username, password, from, to }: SmtpAccess): string => `<?php
// composer require phpmailer/phpmailer
require 'vendor/autoload.php';

$mail = new PHPMailer\\PHPMailer\\PHPMailer(true);
$mail->isSMTP();
$mail->Host = '${host}';
$mail->Port = ${port};
$mail->SMTPAuth = true;
$mail->SMTPSecure = 'tls';${lineIf(self_signed, PHP_TRUST)}
$mail->Username = '${username}';
$mail->Password = '${password}';
$mail->setFrom('${from}');
$mail->addAddress('${to}');
$mail->Subject = 'Hello';
$mail->Body = 'Hello from Postrider.';
$mail->send();`

const PHP_TRUST = `// The certificate is self-signed.
$mail->SMTPOptions = ['ssl' => ['verify_peer' => false, 'verify_peer_name' => false]];`

const rubyMail = ({
  host,
  port,
  self_signed,
  username,
  password,
  from,
  to,
}: SmtpAccess): string => `# gem install mail
require "mail"

Mail.defaults do
  delivery_method :smtp,
    address: "${host}",
    port: ${port},
    user_name: "${username}",
    password: "${password}",
    authentication: :plain,${lineIf(self_signed, '    openssl_verify_mode: "none", # the certificate is self-signed')}
    enable_starttls: true
end

Mail.deliver do
  from "${from}"
  to "${to}"
  subject "Hello"
  body "Hello from Postrider."
end`

const goSmtp = (access: SmtpAccess): string => (access.self_signed ? goTrusting(access) : goPlain(access))

const goPlain = ({ host, port, username, password, from, to }: SmtpAccess): string => `package main

import "net/smtp"

func main() {
	auth := smtp.PlainAuth("", "${username}", "${password}", "${host}")
	message := "From: ${from}\\r\\nTo: ${to}\\r\\nSubject: Hello\\r\\n\\r\\nHello from Postrider.\\r\\n"
	err := smtp.SendMail("${host}:${port}", auth, "${from}", []string{"${to}"}, []byte(message))
	if err != nil {
		panic(err)
	}
}`

/**
 * Returns a Go program that accepts a self-signed certificate step by step, because `smtp.SendMail` has no option for
 * such a certificate.
 */
const goTrusting = ({ host, port, username, password, from, to }: SmtpAccess): string => `package main

import (
	"crypto/tls"
	"fmt"
	"net/smtp"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	client, err := smtp.Dial("${host}:${port}")
	must(err)
	// The certificate is self-signed.
	must(client.StartTLS(&tls.Config{ServerName: "${host}", InsecureSkipVerify: true}))
	must(client.Auth(smtp.PlainAuth("", "${username}", "${password}", "${host}")))
	must(client.Mail("${from}"))
	must(client.Rcpt("${to}"))
	data, err := client.Data()
	must(err)
	fmt.Fprint(data, "From: ${from}\\r\\nTo: ${to}\\r\\nSubject: Hello\\r\\n\\r\\nHello from Postrider.\\r\\n")
	must(data.Close())
	must(client.Quit())
}`
