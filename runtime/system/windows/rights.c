/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rights. Root is here the system itself and who administers the machine: they can write anyway. */
#include "runtime/system/windows/rights.h"

#include <aclapi.h>
#include <sddl.h>
#include <stdio.h>

enum {
    SID_CAPACITY = SECURITY_MAX_SID_SIZE,
    WRITES = FILE_WRITE_DATA | FILE_APPEND_DATA | FILE_WRITE_EA | FILE_DELETE_CHILD | DELETE |
             WRITE_DAC | WRITE_OWNER,
};

typedef union identity {
    SID sid;
    unsigned char bytes[SID_CAPACITY];
} identity;

/* A member of the process's token that begins with an identity: who it runs for, or whose its new
 * files are. */
static bool take_identity(TOKEN_INFORMATION_CLASS member, identity *id) {
    union {
        TOKEN_USER user; /* begins with its identity, as the owner does */
        TOKEN_OWNER owner;
        unsigned char bytes[sizeof(TOKEN_USER) + SID_CAPACITY];
    } found;
    HANDLE token;
    DWORD size;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token)) return false;
    const bool fine = GetTokenInformation(token, member, &found, sizeof found, &size) &&
                      CopySid(sizeof *id, &id->sid, found.owner.Owner);
    CloseHandle(token);
    return fine;
}

static bool is_ours(PSID sid) {
    identity id;
    return (take_identity(TokenUser, &id) && EqualSid(sid, &id.sid)) ||
           (take_identity(TokenOwner, &id) && EqualSid(sid, &id.sid));
}

static bool is_roots(PSID sid) {
    return IsWellKnownSid(sid, WinLocalSystemSid) ||
           IsWellKnownSid(sid, WinBuiltinAdministratorsSid);
}

/* True if an entry of the list lets somebody else write. */
static bool opens(const ACE_HEADER *entry) {
    const ACCESS_ALLOWED_ACE *allowed = (const void *)entry;
    if (entry->AceType == ACCESS_DENIED_ACE_TYPE || entry->AceFlags & INHERIT_ONLY_ACE)
        return false;
    if (entry->AceType != ACCESS_ALLOWED_ACE_TYPE) return true; /* with conditions: nobody knows */
    const bool writes = (allowed->Mask & (WRITES | GENERIC_WRITE | GENERIC_ALL)) != 0;
    PSID sid = (PSID)&allowed->SidStart;
    return writes && !is_ours(sid) && !is_roots(sid);
}

static bool is_open(PACL list) {
    if (!list) return true; /* for everybody */
    for (DWORD k = 0; k < list->AceCount; k++) {
        void *entry;
        if (!GetAce(list, k, &entry) || opens(entry)) return true;
    }
    return false;
}

void rights_of(HANDLE file, system_file_info *info) {
    PSID owner;
    PACL list;
    PSECURITY_DESCRIPTOR all;
    info->others_write = true;
    if (GetSecurityInfo(file, SE_FILE_OBJECT,
                        OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION, &owner, NULL, &list,
                        NULL, &all))
        return;
    info->is_ours = owner && is_ours(owner);
    info->is_roots = owner && is_roots(owner);
    info->others_write = is_open(list);
    LocalFree(all);
}

bool rights_private(SECURITY_ATTRIBUTES *attributes) {
    identity id;
    char *name, text[512];
    *attributes = (SECURITY_ATTRIBUTES){.nLength = sizeof *attributes};
    if (!take_identity(TokenUser, &id) || !ConvertSidToStringSidA(&id.sid, &name)) return false;
    /* Protected from what it would inherit; inherited by files and directories in it. */
    snprintf(text, sizeof text, "O:%sD:P(A;OICI;FA;;;%s)(A;OICI;FA;;;SY)", name, name);
    LocalFree(name);
    return ConvertStringSecurityDescriptorToSecurityDescriptorA(
               text, SDDL_REVISION_1, &attributes->lpSecurityDescriptor, NULL) != 0;
}
