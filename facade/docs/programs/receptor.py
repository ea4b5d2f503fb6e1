# Recibe los webhooks de Saldo y verifica su firma, con la biblioteca estándar de Python 3.9 o posterior.
import base64
import hashlib
import hmac
import json
import os
import re
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PUERTO = int(os.environ.get("PORT", "8080"))
CLAVE = base64.b64decode(os.environ["SALDO_WEBHOOK_SECRETO"].removeprefix("whsec_"))
TOLERANCIA_S = 5 * 60
CUERPO_MAXIMO = 64 * 1024


def es_autentica(cabeceras, cuerpo):
    """Dice si la firma es correcta y la hora, reciente. El cuerpo son los bytes recibidos, sin cambios."""
    id = cabeceras.get("webhook-id", "")
    hora = cabeceras.get("webhook-timestamp", "")
    firmas = cabeceras.get("webhook-signature", "")
    if not re.fullmatch("[0-9]{1,15}", hora) or abs(time.time() - int(hora)) > TOLERANCIA_S:
        return False
    firmado = f"{id}.{hora}.".encode() + cuerpo
    esperada = b"v1," + base64.b64encode(hmac.new(CLAVE, firmado, hashlib.sha256).digest())
    # Durante una rotación llegan dos firmas, separadas por un espacio. Basta con que una sea la esperada.
    # compare_digest compara en tiempo constante.
    return any(hmac.compare_digest(firma.encode(), esperada) for firma in firmas.split(" "))


def recibir(evento):
    # Guarde aquí el evento con su id como clave única, y no haga nada si ya lo tiene. Procéselo después de responder.
    print(evento["id"], evento["type"], flush=True)


class Receptor(BaseHTTPRequestHandler):
    def do_POST(self):
        largo = int(self.headers.get("content-length", "0"))
        if not 0 <= largo <= CUERPO_MAXIMO:
            return self.responder(413)
        cuerpo = self.rfile.read(largo)
        if not es_autentica(self.headers, cuerpo):
            return self.responder(401)
        recibir(json.loads(cuerpo))
        self.responder(204)

    def responder(self, estado):
        self.send_response(estado)
        self.send_header("content-length", "0")
        self.end_headers()


servidor = ThreadingHTTPServer(("127.0.0.1", PUERTO), Receptor)
print(f"Recibe en http://127.0.0.1:{PUERTO}/", flush=True)
servidor.serve_forever()
