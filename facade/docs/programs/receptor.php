<?php
// Recibe los webhooks de Saldo y verifica su firma, con la biblioteca estándar de PHP 8 o posterior.

const TOLERANCIA_S = 5 * 60;

/** Dice si la firma es correcta y la hora, reciente. El cuerpo son los bytes recibidos, sin cambios. */
function es_autentica(string $id, string $hora, string $firmas, string $cuerpo, string $secreto): bool
{
    if (!preg_match('/^\d{1,15}$/D', $hora) || abs(time() - (int) $hora) > TOLERANCIA_S) {
        return false;
    }
    $clave = base64_decode(substr($secreto, strlen('whsec_')));
    $esperada = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$hora.$cuerpo", $clave, true));
    // Durante una rotación llegan dos firmas, separadas por un espacio. Basta con que una sea la esperada.
    foreach (explode(' ', $firmas) as $firma) {
        // hash_equals compara en tiempo constante.
        if (hash_equals($esperada, $firma)) {
            return true;
        }
    }
    return false;
}

function recibir(array $evento): void
{
    // Guarde aquí el evento con su id como clave única, y no haga nada si ya lo tiene. Procéselo después de responder.
    error_log("$evento[id] $evento[type]");
}

$secreto = (string) getenv('SALDO_WEBHOOK_SECRETO');
if (!str_starts_with($secreto, 'whsec_')) {
    http_response_code(500);
    error_log('Falta SALDO_WEBHOOK_SECRETO');
    exit;
}
$id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
$hora = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
$firmas = $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '';
$cuerpo = file_get_contents('php://input');
if (!es_autentica($id, $hora, $firmas, $cuerpo, $secreto)) {
    http_response_code(401);
    exit;
}
recibir(json_decode($cuerpo, true));
http_response_code(204);
